import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried, left } from '../../../infra/table-fates'
import { ActionPage, customActionRedirectRoutes, customActionRoutes } from './routes'
import { listCustomActions, MAX_ACTIONS } from './service'
import { customActionRedirects, customActions } from './table'

export const customActionsModule: Module = {
  name: 'custom-actions',
  tables: [
    carried(customActions, {
      limits: [{ rows: MAX_ACTIONS }],
      secrets: { headers_sealed: '{organization_id}/custom_actions/headers/{id}' },
    }),
    left(customActionRedirects, 'links of this server, valid for a short time'),
  ],
  startParts: () => [
    startPart({
      name: 'custom_actions',
      needs: 'custom_actions:read',
      schema: ActionPage,
      read: (ctx) => listCustomActions(ctx, { page: 1, limit: 50, activeOnly: true }),
    }),
  ],
  routes: ({ http }) => [customActionRoutes(http), customActionRedirectRoutes(http)],
}
