import type { Module } from '../../http/module'
import { customActionRedirectRoutes, customActionRoutes } from './routes'

export const customActionsModule: Module = {
  name: 'custom-actions',
  routes: ({ http }) => [customActionRoutes(http), customActionRedirectRoutes(http)],
}
