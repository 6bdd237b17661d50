import { createRoute, createRouter, redirect, type RouteComponent } from '@tanstack/react-router'

import type { QueryClient } from '@tanstack/react-query'
import { call } from '../api/client'
import { currentSession, type Session } from '../api/session'
import { can } from '../api/shapes'
import { prefetchConversations } from '../live/conversation-list'
import { filterOf } from '../pages/inbox/views'
import { botRoutes, flowRoute } from './bot-routes'
import { contactRoutes } from './contact-routes'
import { Broken, Missing } from './exceptions'
import { formRoutes } from './form-routes'
import { firstPlaceOf } from './places'
import { reportRoutes } from './report-routes'
import { root } from './root-route'
import { serverRoutes } from './server-routes'
import * as screens from './screens'
import {
  campaignSearch,
  campaignsSearch,
  editCampaignSearch,
  everywhereSearch,
  inboxSearch,
  newCampaignSearch,
  partsSearch,
  settingsSearch,
  templateSearch,
  templatesSearch,
  transfersSearch,
} from './search'

const toFirstPlace = (): never => {
  const session = currentSession()
  const to = session.phase === 'signed-in' ? firstPlaceOf(session.me) : '/inbox'
  throw redirect({ to, search: {} })
}
/** Whether somebody takes first steps: all of them, or those with numbers until they are hidden. */
const takesFirstSteps = (session: Session): boolean =>
  session.phase === 'signed-in' &&
  (can(session.me, 'settings:update') ||
    (can(session.me, 'accounts:update') && session.me.settings.ui['welcome'] === undefined))

/** Leads to the first steps while somebody who may take them has not, otherwise to the first place. */
const toFirstPage = async (): Promise<never> => {
  if (takesFirstSteps(currentSession())) {
    const setup = await call('GET /api/setup', {}).catch(() => null)
    if (setup && !setup.dismissed && setup.steps.some(({ done }) => !done))
      throw redirect({ to: '/welcome' })
  }
  return toFirstPlace()
}
const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: toFirstPage })
const login = createRoute({ getParentRoute: () => root, path: '/login', beforeLoad: toFirstPlace })

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: inboxSearch,
  loaderDeps: ({ search }) => search,
  // begins before anything is drawn; the page shows its errors
  loader: ({ deps, context }) => {
    const session = currentSession()
    if (session.phase !== 'signed-in' || !can(session.me, 'messages:read')) return
    if (deps.saved === undefined)
      prefetchConversations(context.client, filterOf(deps)).catch(() => undefined)
  },
  component: screens.Inbox,
})
const thread = createRoute({ getParentRoute: () => inbox, path: '$conversationId' })

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: everywhereSearch,
  component: screens.Search,
})
const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: campaignsSearch,
  component: screens.Campaigns,
})
const newCampaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/new',
  validateSearch: newCampaignSearch,
  component: screens.NewCampaign,
})
const editCampaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$campaignId/edit',
  validateSearch: editCampaignSearch,
  component: screens.EditCampaign,
})
const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$campaignId',
  validateSearch: campaignSearch,
  component: screens.CampaignPage,
})
const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: templatesSearch,
  component: screens.Templates,
})

const template = createRoute({
  getParentRoute: () => root,
  path: '/templates/$templateId',
  validateSearch: templateSearch,
  component: screens.TemplatePage,
})

const transfers = createRoute({
  getParentRoute: () => root,
  path: '/transfers',
  validateSearch: transfersSearch,
  component: screens.Transfers,
})

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: screens.Welcome,
})

const parts = createRoute({
  getParentRoute: () => root,
  path: '/dev/parts',
  validateSearch: partsSearch,
  component: screens.Parts,
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: settingsSearch,
  component: screens.Settings,
})
const settingsPage = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => settings, path, component })
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile', search: {} })
  },
})

const routeTree = root.addChildren([
  home,
  login,
  inbox.addChildren([thread]),
  search,
  ...contactRoutes,
  ...formRoutes,
  campaigns,
  newCampaign,
  editCampaign,
  campaign,
  templates,
  template,
  transfers,
  welcome,
  parts,
  reportRoutes,
  botRoutes,
  flowRoute,
  serverRoutes,
  settings.addChildren([
    settingsHome,
    settingsPage('profile', screens.Profile),
    settingsPage('organization', screens.Organization),
    settingsPage('hours', screens.Hours),
    settingsPage('numbers', screens.Numbers),
    settingsPage('numbers/$numberId', screens.NumberOverview),
    settingsPage('numbers/$numberId/profile', screens.NumberProfile),
    settingsPage('numbers/$numberId/calling', screens.NumberCalling),
    settingsPage('numbers/$numberId/entry-points', screens.NumberEntryPoints),
    settingsPage('numbers/$numberId/connection', screens.NumberConnection),
    settingsPage('people', screens.People),
    settingsPage('teams', screens.Teams),
    settingsPage('roles', screens.Roles),
    settingsPage('roles/$roleId', screens.RolePage),
    settingsPage('tags', screens.Tags),
    settingsPage('canned-responses', screens.CannedResponses),
    settingsPage('fields', screens.CustomFields),
    settingsPage('actions', screens.CustomActions),
    settingsPage('actions/new', screens.NewAction),
    settingsPage('actions/$actionId', screens.ActionPage),
    settingsPage('consent', screens.ConsentWords),
    settingsPage('retention', screens.Retention),
    settingsPage('privacy', screens.Privacy),
    settingsPage('privacy/$requestId', screens.PrivacyRequestPage),
    settingsPage('exports', screens.Exports),
    settingsPage('archives', screens.Archives),
    settingsPage('api-keys', screens.ApiKeys),
    settingsPage('audit', screens.Audit),
    settingsPage('sign-in', screens.SignInRules),
    settingsPage('webhooks', screens.Webhooks),
    settingsPage('webhooks/new', screens.NewWebhook),
    settingsPage('webhooks/$endpointId', screens.Webhook),
    settingsPage('webhooks/$endpointId/deliveries', screens.WebhookDeliveries),
    settingsPage('webhooks/$endpointId/deliveries/$deliveryId', screens.WebhookDelivery),
    settingsPage('incoming', screens.Incoming),
    settingsPage('incoming/$eventId', screens.IncomingEvent),
    settingsPage('queue', screens.Queue),
  ]),
])

/** Creates the router: one address for each screen and each filter. */
export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    context: { client },
    defaultPreload: 'intent',
    defaultNotFoundComponent: Missing,
    defaultErrorComponent: Broken,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
