import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { apiKeyRoutes } from './routes'

export const apiKeysModule: Module = {
  name: 'api-keys',
  tables: [carried('api_keys'), carried('api_key_permissions')],
  routes: ({ http }) => [apiKeyRoutes(http)],
}
