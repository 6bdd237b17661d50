import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { EntryPointsView } from './model'
import { readEntryPoints } from './read'

/** Route to read the ways into a chat: links with QR codes, ice breakers, commands and welcome. */
export const entryPointRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get(
      '/:id/entry-points',
      async ({ ctx, params }) => ok(await readEntryPoints(ctx, params.id)),
      {
        can: 'accounts:read',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        response: { 200: Ok(EntryPointsView) },
        detail: {
          operationId: 'getEntryPoints',
          summary: 'Get the entry points',
          description:
            'Links with QR codes, ice breakers, commands, the welcome setting, commerce settings and ' +
            'the username, fetched from the platform.',
        },
      },
    )
