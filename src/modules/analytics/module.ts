import type { Module } from '../../http/module'
import { onHook } from '../../infra/transaction-hooks'
import { TimezoneChanged } from '../organizations/hooks'
import { costRoutes } from './costs/routes'
import { dashboardRoutes } from './dashboard/routes'
import { messageReportRoutes } from './messages/routes'
import { startRebuildIn } from './rollups/rebuild'
import { analyticsRoutes } from './routes'
import { analyticsSchedules, analyticsWorkers } from './workers'

export const analyticsModule: Module = {
  name: 'analytics',
  routes: ({ http }) => [
    analyticsRoutes(http),
    dashboardRoutes(http),
    messageReportRoutes(http),
    costRoutes(http),
  ],
  hooks: [onHook(TimezoneChanged, startRebuildIn)],
  workers: analyticsWorkers,
  schedules: analyticsSchedules,
}
