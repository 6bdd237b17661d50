import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../../accounts/platform-errors'
import { EntryPointsView, EntryPointChanges } from '../../accounts/entry-points/model'
import { updateEntryPoints } from './service'

/** Route to change the ways into a chat with a number. It stores QR codes as files. */
export const entryPointRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .put(
      '/:id/entry-points',
      async ({ ctx, params, body }) => ok(await updateEntryPoints(ctx, params.id, body)),
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        body: EntryPointChanges,
        response: { 200: Ok(EntryPointsView) },
        detail: {
          operationId: 'updateEntryPoints',
          summary: 'Update the entry points',
          description:
            'Omitted fields stay unchanged. `links` replaces all links: those without `id` are ' +
            'created, those with `id` get the new message, and those that are missing are deleted. ' +
            'The URL and QR code of a deleted link stop working. One request creates, changes and ' +
            'deletes at most 100 links. If the platform rejects a step, earlier steps stay in effect. Stores up to 20 missing QR ' +
            'codes as files.',
        },
      },
    )
