import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'

import { Broken, Missing } from './exceptions'
import { Shell } from './shell'

/** What the routes know besides their addresses. */
interface Context {
  client: QueryClient
}

/** The route around all others. */
export const root = createRootRouteWithContext<Context>()({
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: Broken,
})
