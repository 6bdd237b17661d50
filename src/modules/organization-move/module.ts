import type { Module } from '../../http/module'
import { left } from '../../infra/table-fates'
import { moveRoutes } from './routes'
import { moveTargetRoutes } from './target/routes'
import { moveSchedules, moveWorkers } from './workers'

export const organizationMoveModule: Module = {
  name: 'organization-move',
  tables: [left('organization_moves', 'moves from this cell')],
  routes: ({ http }) => [moveRoutes(http), moveTargetRoutes(http)],
  workers: moveWorkers,
  schedules: moveSchedules,
}
