import { lazyRouteComponent } from '@tanstack/react-router'

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

export const ServerArea = lazyRouteComponent(
  styled(
    () => import('../pages/server/area'),
    ...[pagesStyle, areaStyle, settingsStyle, tablesStyle, panelStyle, serverStyle],
  ),
  'ServerArea',
)
export const ServerOverview = lazyRouteComponent(
  styled(() => import('../pages/server/overview'), analyticsStyle, chartsStyle),
  'Overview',
)
export const ServerJobs = lazyRouteComponent(() => import('../pages/server/jobs'), 'Jobs')
export const ServerJob = lazyRouteComponent(
  styled(() => import('../pages/server/job'), developersStyle),
  'JobPage',
)
export const ServerSchedule = lazyRouteComponent(
  () => import('../pages/server/schedule'),
  'Schedule',
)
export const ServerBackups = lazyRouteComponent(
  styled(() => import('../pages/server/backups'), tasksStyle),
  'Backups',
)
export const ServerOrganizations = lazyRouteComponent(
  () => import('../pages/server/organizations'),
  'Organizations',
)
export const ServerOrganization = lazyRouteComponent(
  styled(() => import('../pages/server/organization'), tasksStyle, developersStyle),
  'OrganizationPage',
)
export const ServerImports = lazyRouteComponent(
  styled(() => import('../pages/server/imports'), importStyle),
  'Imports',
)
export const ServerImport = lazyRouteComponent(
  styled(() => import('../pages/server/import'), ...[tasksStyle, importStyle, developersStyle]),
  'ImportPage',
)
export const ServerMoves = lazyRouteComponent(
  styled(() => import('../pages/server/moves'), tasksStyle),
  'Moves',
)
export const ServerPrices = lazyRouteComponent(
  styled(() => import('../pages/server/prices'), importStyle, developersStyle),
  'Prices',
)
export const ServerSettings = lazyRouteComponent(
  () => import('../pages/server/settings'),
  'ServerSettings',
)
