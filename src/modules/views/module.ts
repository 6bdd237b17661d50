import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { onHook } from '../../infra/transaction-hooks'
import { MembershipEnded } from '../members/events'
import { viewRoutes } from './routes'
import { deletePrivateViewsIn } from './service'
import { views } from './table'

export const viewsModule: Module = {
  name: 'views',
  tables: [carried(views)],
  routes: ({ http }) => [viewRoutes(http)],
  hooks: [onHook(MembershipEnded, (tx, ctx, { userId }) => deletePrivateViewsIn(tx, ctx, userId))],
}
