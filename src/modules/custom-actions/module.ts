import type { Module } from '../../http/module'
import { carried, left } from '../../infra/table-fates'
import { customActionRedirectRoutes, customActionRoutes } from './routes'

export const customActionsModule: Module = {
  name: 'custom-actions',
  tables: [
    carried('custom_actions'),
    left('custom_action_redirects', 'links of this server, valid for a short time'),
  ],
  routes: ({ http }) => [customActionRoutes(http), customActionRedirectRoutes(http)],
}
