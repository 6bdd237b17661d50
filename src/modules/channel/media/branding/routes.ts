import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { fileResponse, fileResponses } from '../../../../http/file-response'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { FilePart } from '../../../../http/multipart'
import { Accent, BrandingView } from './model'
import { getBranding, logoOf } from './queries'
import { updateBranding } from './update'

const MAX_LOGO_BYTES = 512 * 1024

const BrandingChange = Type.Object(
  {
    logo: Type.Optional(
      Type.Union([FilePart('PNG, JPEG or WebP image of up to 512 KiB.'), Type.Null()]),
    ),
    accent: Type.Optional(Accent),
  },
  { title: 'BrandingChange', examples: [{ accent: '#0a5c36' }] },
)

/** Routes for the look of the organization. */
export const brandingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations/branding', tags: ['Organizations'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(getBranding(ctx)), {
      can: 'signed-in',
      response: { 200: Ok(BrandingView) },
      detail: { operationId: 'getBranding', summary: 'Get logo and color' },
    })
    .put('', async ({ ctx, body }) => ok(await updateBranding(ctx, body)), {
      can: { permission: 'settings:update', upload: { takesJson: true, maxBytes: MAX_LOGO_BYTES } },
      body: BrandingChange,
      response: { 200: Ok(BrandingView) },
      detail: {
        operationId: 'updateBranding',
        summary: 'Change logo and color',
        description:
          'Send a form with the file, or JSON without one. `null` removes the logo or the color. ' +
          'A new logo has a new address.',
      },
    })

/** Route that shows logos in mails, the console and on the page of an invitation. */
export const logoRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/logos', tags: ['Organizations'] }).use(guard(http)).get(
    '/:name',
    ({ deps, params, request, set }) => {
      set.headers['cross-origin-resource-policy'] = 'cross-origin'
      const response = fileResponse(request, logoOf(deps, params.name))
      response.headers.set('cache-control', 'public, max-age=31536000, immutable')
      return response
    },
    {
      anyone: 'a logo is public under its random name',
      refuses: ['404 not_found'],
      params: t.Object({ name: t.String({ pattern: '^[0-9a-f]{32}$' }) }),
      detail: {
        operationId: 'downloadLogo',
        summary: 'Download a logo',
        description: 'The picture of an organization, as its mails and public pages show it.',
        responses: fileResponses(['image/png', 'image/jpeg', 'image/webp']),
      },
    },
  )
