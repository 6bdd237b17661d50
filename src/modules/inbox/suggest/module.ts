import type { Module } from '../../../http/module'
import { suggestRoutes } from './routes'

export const suggestModule: Module = {
  name: 'suggest',
  routes: ({ http }) => [suggestRoutes(http)],
}
