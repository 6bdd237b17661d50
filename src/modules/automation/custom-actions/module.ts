import type { Module } from '../../../http/module'
import { carried, left } from '../../../infra/table-fates'
import { customActionRedirectRoutes, customActionRoutes } from './routes'
import { MAX_ACTIONS } from './service'
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
  routes: ({ http }) => [customActionRoutes(http), customActionRedirectRoutes(http)],
}
