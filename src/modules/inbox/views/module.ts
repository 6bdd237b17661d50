import { PageOf } from '../../../http/pagination'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { PersonErased } from '../contacts/events'
import { MembershipEnded } from '../../organization/members/events'
import { viewRoutes } from './routes'
import { deletePrivateViewsIn, eraseViewsIn, MAX_VIEWS } from './service'
import { views } from './table'
import { SavedView } from './model'
import { listViews } from './queries'

export const viewsModule: Module = {
  name: 'views',
  tables: [
    carried(views, {
      limits: [
        { rows: MAX_VIEWS.shared, where: { column: 'is_shared', is: 1 } },
        { rows: MAX_VIEWS.own, where: { column: 'is_shared', is: 0 }, per: 'owner_id' },
      ],
    }),
  ],
  startParts: () => [
    startPart({
      name: 'views',
      schema: PageOf(SavedView),
      read: (ctx) => listViews(ctx, { page: 1, limit: 100, resource: 'conversations' }),
    }),
  ],
  routes: ({ http }) => [viewRoutes(http)],
  hooks: [
    onHook(MembershipEnded, (tx, ctx, { userId }) => deletePrivateViewsIn(tx, ctx, userId)),
    onHook(PersonErased, eraseViewsIn),
  ],
}
