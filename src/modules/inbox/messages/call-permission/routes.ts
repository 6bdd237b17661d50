import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../../../channel/accounts/platform-errors'
import { SEND_REFUSALS } from '../compose/model'
import { MessageView } from '../model'
import { CallPermissionView, NewCallPermissionRequest } from './model'
import { readCallPermission, requestCallPermission } from './service'

/** Routes for the permission to call a contact. */
export const callPermissionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Calls'] })
    .use(guard(http))
    .get(
      '/:id/call-permission',
      async ({ ctx, params, query }) =>
        ok(await readCallPermission(ctx, params.id, query.account_id)),
      {
        can: 'messages:read',
        refuses: [
          '400 account_required',
          '400 no_address',
          '400 calls_elsewhere',
          ...PLATFORM_ERRORS,
        ],
        params: IdParam,
        query: t.Object({
          account_id: t.Optional(
            t.String({
              format: 'uuid',
              description: 'Phone number that wants to call. Defaults to the one last used.',
            }),
          ),
        }),
        response: { 200: Ok(CallPermissionView) },
        detail: {
          operationId: 'getCallPermission',
          summary: 'Get the permission to call a contact',
          description: 'Fetched from the platform.',
        },
      },
    )
    .post(
      '/:id/call-permission',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await requestCallPermission(ctx, params.id, body))),
      {
        can: 'messages:create',
        refuses: [...SEND_REFUSALS, '400 calls_elsewhere', ...PLATFORM_ERRORS],
        params: IdParam,
        body: NewCallPermissionRequest,
        response: { 201: Ok(MessageView) },
        detail: {
          operationId: 'requestCallPermission',
          summary: 'Request the permission to call a contact',
          description:
            'Sends `text` as an interactive message inside the 24-hour window, or a template with ' +
            'a button that requests the permission. The platform permits one request in 24 hours ' +
            'and two in seven days until a call is answered; beyond that the request fails with ' +
            '409 `permission_request_limit`, and `details.retry_at` says when the next one is ' +
            'possible.',
        },
      },
    )
