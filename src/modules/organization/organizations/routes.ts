import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { askedPage, pageQuery } from '../../../http/pagination'
import { createOrganization } from './create'
import { NewOrganization, OrganizationList, OrganizationView } from './model'
import { listOrganizations } from './queries'
import { getOrganization, organizationView } from './service'

const OrganizationsQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the name.' })),
  id: t.Optional(t.String({ format: 'uuid', description: 'Only this organization.' })),
  all: t.Optional(
    t.BooleanString({
      description:
        'Whether to list those that arrive, leave or have left too, with their `state`. Super ' +
        'admins only.',
    }),
  ),
})

/** Permission to create organizations, by the setting `ORG_CREATION`. */
const CREATORS = {
  anyone: 'session',
  permission: { permission: 'organizations:create', people: 'only' },
  super_admin: 'super-admin',
} as const

/** Routes for organizations (spec 4.2). */
export const organizationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations', tags: ['Organizations'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { search, id, all: isWhole = false, ...query }, request }) =>
        ok(listOrganizations(ctx, { search, id, isWhole, page: askedPage(request, query) })),
      {
        can: 'organizations:read',
        refuses: ['403 super_admin_required'],
        query: OrganizationsQuery,
        response: { 200: Ok(OrganizationList) },
        detail: {
          operationId: 'listOrganizations',
          summary: 'List organizations',
          description:
            'Lists organizations by name: all for super admins, their own for users, one for API ' +
            'keys. Without `page` or `limit` the whole list is returned and `total`, `page` and ' +
            '`limit` are omitted.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createOrganization(ctx, body))), {
      can: CREATORS[http.settings.orgCreation],
      refuses: ['403 permission_denied', '403 super_admin_required'],
      body: NewOrganization,
      response: { 201: Ok(OrganizationView) },
      detail: {
        operationId: 'createOrganization',
        summary: 'Create an organization',
        description:
          'The caller becomes its admin. The current organization does not change until `POST ' +
          '/api/auth/switch-org`. The setting `ORG_CREATION` of the installation decides who can ' +
          'create organizations. A person creates at most 3 within 24 hours, unless they are a super ' +
          'admin; the next one fails with 429 `rate_limited`.',
      },
    })
    .get('/current', ({ ctx }) => ok(organizationView(getOrganization(ctx))), {
      can: 'signed-in',
      response: { 200: Ok(OrganizationView) },
      detail: {
        operationId: 'getCurrentOrganization',
        summary: 'Get the current organization',
        description: 'Returns the organization of the token or API key.',
      },
    })
