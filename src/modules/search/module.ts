import type { Module } from '../../http/module'
import { searchRoutes } from './routes'

export const searchModule: Module = {
  name: 'search',
  routes: ({ http }) => [searchRoutes(http)],
}
