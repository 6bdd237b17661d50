import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'

import type { QueryClient } from '@tanstack/react-query'
import { call } from '../api/client'
import { currentSession } from '../api/session'
import { can } from '../api/shapes'
import { prefetchConversations } from '../live/conversation-list'
import { filterOf } from '../pages/inbox/views'
import { Broken, Missing } from './exceptions'
import { Shell } from './shell'
import {
  campaignsSearch,
  contactsSearch,
  everywhereSearch,
  inboxSearch,
  settingsSearch,
  templatesSearch,
  transfersSearch,
} from './search'

/** What the routes know besides their addresses. */
interface Context {
  client: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: Broken,
})

const toInbox = (): never => {
  throw redirect({ to: '/inbox', search: {} })
}
/** Leads to the first steps while somebody who may take them has not, otherwise to the inbox. */
const toFirstPage = async (): Promise<never> => {
  const session = currentSession()
  if (session.phase === 'signed-in' && can(session.me, 'settings:update')) {
    const setup = await call('GET /api/setup', {}).catch(() => null)
    if (setup && !setup.dismissed && setup.steps.some(({ done }) => !done))
      throw redirect({ to: '/welcome' })
  }
  return toInbox()
}
const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: toFirstPage })
const login = createRoute({ getParentRoute: () => root, path: '/login', beforeLoad: toInbox })

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
  component: lazyRouteComponent(() => import('../pages/inbox/inbox'), 'Inbox'),
})
const thread = createRoute({ getParentRoute: () => inbox, path: '$conversationId' })

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: everywhereSearch,
  component: lazyRouteComponent(() => import('../pages/search/search'), 'Search'),
})
const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  validateSearch: contactsSearch,
  component: lazyRouteComponent(() => import('../pages/contacts/contacts'), 'Contacts'),
})
const contact = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('../pages/contact/contact'), 'Contact'),
})

const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: campaignsSearch,
  component: lazyRouteComponent(() => import('../pages/campaigns/campaigns'), 'Campaigns'),
})
const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: templatesSearch,
  component: lazyRouteComponent(() => import('../pages/templates/templates'), 'Templates'),
})

const transfers = createRoute({
  getParentRoute: () => root,
  path: '/transfers',
  validateSearch: transfersSearch,
  component: lazyRouteComponent(() => import('../pages/transfers/transfers'), 'Transfers'),
})

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/welcome/welcome'), 'Welcome'),
})

const parts = createRoute({
  getParentRoute: () => root,
  path: '/dev/parts',
  component: HAS_PARTS ? lazyRouteComponent(() => import('../pages/dev/parts'), 'Parts') : Missing,
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('../pages/settings/settings'), 'Settings'),
})
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile', search: {} })
  },
})
const profile = createRoute({
  getParentRoute: () => settings,
  path: 'profile',
  component: lazyRouteComponent(() => import('../pages/settings/profile'), 'Profile'),
})
const organization = createRoute({
  getParentRoute: () => settings,
  path: 'organization',
  component: lazyRouteComponent(
    () => import('../pages/settings/organization/organization'),
    'Organization',
  ),
})
const hours = createRoute({
  getParentRoute: () => settings,
  path: 'hours',
  component: lazyRouteComponent(() => import('../pages/settings/hours/hours'), 'Hours'),
})
const roles = createRoute({
  getParentRoute: () => settings,
  path: 'roles',
  component: lazyRouteComponent(() => import('../pages/settings/roles/roles'), 'Roles'),
})
const role = createRoute({
  getParentRoute: () => settings,
  path: 'roles/$roleId',
  component: lazyRouteComponent(() => import('../pages/settings/roles/role'), 'RolePage'),
})
const numbers = createRoute({
  getParentRoute: () => settings,
  path: 'numbers',
  component: lazyRouteComponent(() => import('../pages/settings/numbers'), 'Numbers'),
})
const people = createRoute({
  getParentRoute: () => settings,
  path: 'people',
  component: lazyRouteComponent(() => import('../pages/settings/people'), 'People'),
})
const teams = createRoute({
  getParentRoute: () => settings,
  path: 'teams',
  component: lazyRouteComponent(() => import('../pages/settings/teams'), 'Teams'),
})
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: 'api-keys',
  component: lazyRouteComponent(() => import('../pages/settings/api-keys'), 'ApiKeys'),
})
const tags = createRoute({
  getParentRoute: () => settings,
  path: 'tags',
  component: lazyRouteComponent(() => import('../pages/settings/tags'), 'Tags'),
})
const cannedResponses = createRoute({
  getParentRoute: () => settings,
  path: 'canned-responses',
  component: lazyRouteComponent(
    () => import('../pages/settings/canned-responses'),
    'CannedResponses',
  ),
})

const routeTree = root.addChildren([
  home,
  login,
  inbox.addChildren([thread]),
  search,
  contacts,
  contact,
  campaigns,
  templates,
  transfers,
  welcome,
  parts,
  settings.addChildren([
    settingsHome,
    profile,
    organization,
    hours,
    numbers,
    people,
    teams,
    roles,
    role,
    tags,
    cannedResponses,
    apiKeys,
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
