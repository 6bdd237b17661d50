import type { Module } from '../../http/module'
import { tagRoutes } from './routes'

export const tagsModule: Module = {
  name: 'tags',
  routes: ({ http }) => [tagRoutes(http)],
}
