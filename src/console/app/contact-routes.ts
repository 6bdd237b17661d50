import { createRoute } from '@tanstack/react-router'

import {
  callsSearch,
  contactsSearch,
  duplicatesSearch,
  importSearch,
  ordersSearch,
  scheduledSearch,
} from './contact-search'
import { root } from './root-route'
import * as screens from './contact-screens'

const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  validateSearch: contactsSearch,
  component: screens.Contacts,
})
const contact = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$contactId',
  component: screens.Contact,
})

const imports = createRoute({
  getParentRoute: () => root,
  path: '/contacts/import',
  component: screens.Import,
})
const importRun = createRoute({
  getParentRoute: () => root,
  path: '/contacts/import/$importId',
  validateSearch: importSearch,
  component: screens.ImportRun,
})
const segment = createRoute({
  getParentRoute: () => root,
  path: '/contacts/segments/$segmentId',
  component: screens.SegmentPage,
})

const duplicates = createRoute({
  getParentRoute: () => root,
  path: '/contacts/duplicates',
  validateSearch: duplicatesSearch,
  component: screens.Duplicates,
})
const scheduled = createRoute({
  getParentRoute: () => root,
  path: '/scheduled',
  validateSearch: scheduledSearch,
  component: screens.Scheduled,
})
const calls = createRoute({
  getParentRoute: () => root,
  path: '/calls',
  validateSearch: callsSearch,
  component: screens.Calls,
})
const orders = createRoute({
  getParentRoute: () => root,
  path: '/orders',
  validateSearch: ordersSearch,
  component: screens.Orders,
})

/** The screens about people, each with its address. */
export const contactRoutes = [
  contacts,
  contact,
  segment,
  imports,
  importRun,
  duplicates,
  scheduled,
  calls,
  orders,
] as const
