import type { Module } from '../../../http/module'
import { left } from '../../../infra/table-fates'
import { moveRoutes } from './routes'
import { moveTargetRoutes } from './target/routes'
import { moveSchedules, moveWorkers } from './workers'
import { organizationMoves } from './table'

export const organizationMoveModule: Module = {
  name: 'organization-move',
  tables: [left(organizationMoves, 'moves from this cell')],
  routes: ({ http }) => [moveRoutes(http), moveTargetRoutes(http)],
  workers: moveWorkers,
  schedules: moveSchedules,
}
