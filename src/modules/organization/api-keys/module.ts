import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { apiKeyRoutes } from './routes'
import { apiKeyPermissions, apiKeys } from './table'

export const apiKeysModule: Module = {
  name: 'api-keys',
  tables: [carried(apiKeys), carried(apiKeyPermissions)],
  routes: ({ http }) => [apiKeyRoutes(http)],
}
