import { lateScreen } from '../parts/late'
import { styled } from '../parts/styled'
import analyticsStyle from '../styles/late/analytics.css'
import areaStyle from '../styles/late/area.css'
import chartsStyle from '../styles/late/charts.css'
import developersStyle from '../styles/late/developers.css'
import importStyle from '../styles/late/import.css'
import pagesStyle from '../styles/late/pages.css'
import panelStyle from '../styles/late/panel.css'
import serverStyle from '../styles/late/server.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'
import tasksStyle from '../styles/late/tasks.css'

// The screens of who runs the server, whose code and styles are loaded when they are opened.

export const ServerArea = lateScreen(
  styled(
    () => import('../pages/server/area'),
    ...[pagesStyle, areaStyle, settingsStyle, tablesStyle, panelStyle, serverStyle],
  ),
  'ServerArea',
)
export const ServerOverview = lateScreen(
  styled(() => import('../pages/server/overview'), analyticsStyle, chartsStyle),
  'Overview',
)
export const ServerJobs = lateScreen(() => import('../pages/server/jobs'), 'Jobs')
export const ServerJob = lateScreen(
  styled(() => import('../pages/server/job'), developersStyle),
  'JobPage',
)
export const ServerSchedule = lateScreen(() => import('../pages/server/schedule'), 'Schedule')
export const ServerBackups = lateScreen(
  styled(() => import('../pages/server/backups'), tasksStyle),
  'Backups',
)
export const ServerOrganizations = lateScreen(
  () => import('../pages/server/organizations'),
  'Organizations',
)
export const ServerOrganization = lateScreen(
  styled(() => import('../pages/server/organization'), tasksStyle, developersStyle),
  'OrganizationPage',
)
export const ServerImports = lateScreen(
  styled(() => import('../pages/server/imports'), importStyle),
  'Imports',
)
export const ServerImport = lateScreen(
  styled(() => import('../pages/server/import'), ...[tasksStyle, importStyle, developersStyle]),
  'ImportPage',
)
export const ServerMoves = lateScreen(
  styled(() => import('../pages/server/moves'), tasksStyle),
  'Moves',
)
export const ServerPrices = lateScreen(
  styled(() => import('../pages/server/prices'), importStyle, developersStyle),
  'Prices',
)
export const ServerSettings = lateScreen(() => import('../pages/server/settings'), 'ServerSettings')
