import type { Module } from '../../http/module'
import { costRoutes } from './costs/routes'
import { dashboardRoutes } from './dashboard/routes'
import { messageReportRoutes } from './messages/routes'
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
  workers: analyticsWorkers,
  schedules: analyticsSchedules,
}
