import { createRoute, type RouteComponent } from '@tanstack/react-router'

import { root } from './root-route'
import { only, pageIn, textIn } from './search-values'
import * as screens from './server-screens'

/** What a list of the server shows, as its address says. */
interface ServerSearch {
  q?: string
  state?: string
  kind?: string
  page?: number
}

const server = createRoute({
  getParentRoute: () => root,
  path: '/server',
  validateSearch: (raw: Record<string, unknown>): ServerSearch =>
    only(raw, {
      ...textIn(raw, 'q'),
      ...textIn(raw, 'state'),
      ...textIn(raw, 'kind'),
      ...pageIn(raw),
    }),
  component: screens.ServerArea,
})
const serverPage = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => server, path, component })

/** The screens of who runs the server, each with its address. */
export const serverRoutes = server.addChildren([
  serverPage('/', screens.ServerOverview),
  serverPage('jobs', screens.ServerJobs),
  serverPage('jobs/$jobId', screens.ServerJob),
  serverPage('schedule', screens.ServerSchedule),
  serverPage('backups', screens.ServerBackups),
  serverPage('organizations', screens.ServerOrganizations),
  serverPage('organizations/$organizationId', screens.ServerOrganization),
  serverPage('imports', screens.ServerImports),
  serverPage('imports/$importId', screens.ServerImport),
  serverPage('moves', screens.ServerMoves),
  serverPage('prices', screens.ServerPrices),
  serverPage('settings', screens.ServerSettings),
])
