import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { CallingChanges, CallingView } from './model'
import { changeCalling, readCalling } from './service'

/** Routes for the calling settings of a number. */
export const callingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get('/:id/calling', async ({ ctx, params }) => ok(await readCalling(ctx, params.id)), {
      can: 'accounts:read',
      refuses: PLATFORM_ERRORS,
      params: IdParam,
      response: { 200: Ok(CallingView) },
      detail: {
        operationId: 'getCallingSettings',
        summary: 'Get the calling settings',
        description: 'Fetched from the platform.',
      },
    })
    .put(
      '/:id/calling',
      async ({ ctx, params, body }) => ok(await changeCalling(ctx, params.id, body)),
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        body: CallingChanges,
        response: { 200: Ok(CallingView) },
        detail: {
          operationId: 'updateCallingSettings',
          summary: 'Update the calling settings',
          description:
            'Only the fields you send change; `hours` and the `servers` of `sip` are replaced as a ' +
            'whole. Customers may see a change up to seven days later. Fails with 400 ' +
            '`platform_rejected` if the number is not eligible for calls.',
        },
      },
    )
