import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { tagRoutes } from './routes'
import { tags } from './table'

export const tagsModule: Module = {
  name: 'tags',
  tables: [carried(tags)],
  routes: ({ http }) => [tagRoutes(http)],
}
