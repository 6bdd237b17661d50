import { lazyRouteComponent } from '@tanstack/react-router'

import { styled } from '../parts/styled'
import analyticsStyle from '../styles/late/analytics.css'
import areaStyle from '../styles/late/area.css'
import chartsStyle from '../styles/late/charts.css'
import developersStyle from '../styles/late/developers.css'
import pagesStyle from '../styles/late/pages.css'
import panelStyle from '../styles/late/panel.css'
import serverStyle from '../styles/late/server.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'

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
export const ServerSettings = lazyRouteComponent(
  () => import('../pages/server/settings'),
  'ServerSettings',
)
