import { createRoute, redirect } from '@tanstack/react-router'

import { currentSession } from '../api/session'
import { can, type PermissionKey } from '../api/shapes'
import { root } from './root-route'
import * as screens from './screens'
import { analyticsSearch } from './report-search'

const analytics = createRoute({
  getParentRoute: () => root,
  path: '/analytics',
  validateSearch: analyticsSearch,
  component: screens.Analytics,
})
const analyticsHome = createRoute({
  getParentRoute: () => analytics,
  path: '/',
  beforeLoad: () => {
    const session = currentSession()
    const may = (permission: PermissionKey): boolean =>
      session.phase === 'signed-in' && can(session.me, permission)
    const tab = may('analytics:read') ? 'board' : may('transfers:assign') ? 'live' : 'mine'
    throw redirect({ to: `/analytics/${tab}`, search: {} })
  },
})
const reportBoard = createRoute({
  getParentRoute: () => analytics,
  path: 'board',
  component: screens.ReportBoard,
})
const reportLive = createRoute({
  getParentRoute: () => analytics,
  path: 'live',
  component: screens.ReportLive,
})
const reportMessages = createRoute({
  getParentRoute: () => analytics,
  path: 'messages',
  component: screens.ReportMessages,
})
const reportPeople = createRoute({
  getParentRoute: () => analytics,
  path: 'people',
  component: screens.ReportPeople,
})
const reportBot = createRoute({
  getParentRoute: () => analytics,
  path: 'bot',
  component: screens.ReportBot,
})
const reportCampaigns = createRoute({
  getParentRoute: () => analytics,
  path: 'campaigns',
  component: screens.ReportCampaigns,
})
const reportCosts = createRoute({
  getParentRoute: () => analytics,
  path: 'costs',
  component: screens.ReportCosts,
})
const reportQuality = createRoute({
  getParentRoute: () => analytics,
  path: 'quality',
  component: screens.ReportQuality,
})
const reportMine = createRoute({
  getParentRoute: () => analytics,
  path: 'mine',
  component: screens.ReportMine,
})
const reportScheduled = createRoute({
  getParentRoute: () => analytics,
  path: 'reports',
  component: screens.ReportScheduled,
})

/** The reports, each with its address. */
export const reportRoutes = analytics.addChildren([
  analyticsHome,
  reportBoard,
  reportLive,
  reportMessages,
  reportPeople,
  reportBot,
  reportCampaigns,
  reportCosts,
  reportQuality,
  reportMine,
  reportScheduled,
])
