import type { Module } from '../../http/module'
import { apiKeyRoutes } from './routes'

export const apiKeysModule: Module = {
  name: 'api-keys',
  routes: ({ http }) => [apiKeyRoutes(http)],
}
