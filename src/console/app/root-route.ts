import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'

import { loadLateTexts } from '../texts/texts'
import { Broken, Missing } from './exceptions'
import { Shell } from './shell'

/** What the routes know besides their addresses. */
interface Context {
  client: QueryClient
}

/** Where the texts of the first pages suffice. */
const FIRST = /^\/(?:inbox(?:\/|$)|login$|$)/

/** The route around all others. */
export const root = createRootRouteWithContext<Context>()({
  // screens load them too, and say so if they cannot
  beforeLoad: ({ location }) =>
    FIRST.test(location.pathname) ? undefined : loadLateTexts().catch(() => undefined),
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: Broken,
})
