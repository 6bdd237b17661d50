import { Elysia } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { PLATFORM_ERRORS } from '../../accounts/platform-errors'
import { EntryPointsView, NewEntryPoints } from '../../accounts/entry-points/model'
import { replaceEntryPoints } from './service'

/** Route to replace the ways into a chat with a number. It stores QR codes as files. */
export const entryPointRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .put(
      '/:id/entry-points',
      async ({ ctx, params, body }) => ok(await replaceEntryPoints(ctx, params.id, body)),
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        body: NewEntryPoints,
        response: { 200: Ok(EntryPointsView) },
        detail: {
          operationId: 'replaceEntryPoints',
          summary: 'Replace the entry points',
          description:
            'Replaces everything: links without `id` are created, links with `id` get the new ' +
            'message, and links that are missing are deleted. The URL and QR code of a deleted ' +
            'link stop working. `commerce` and `username` stay unchanged if they are missing. One request creates, changes and deletes at most 100 links. If ' +
            'the platform rejects a step, earlier steps stay in effect. Stores up to 20 missing QR ' +
            'codes as files.',
        },
      },
    )
