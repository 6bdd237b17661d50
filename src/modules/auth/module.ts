import type { Http } from '../../http/http-deps'
import type { Module } from '../../http/module'
import type { AuthParts } from './issue-tokens'
import { authRoutes, logoutRoutes, ticketAndResetRoutes } from './routes'
import { meRoutes, ownAccessRoutes } from './me/routes'
import { authWorkers } from './workers'

export const authModule: Module<{ http: Http; auth: AuthParts }> = {
  name: 'auth',
  routes: ({ http, auth }) => [
    authRoutes(http, auth),
    logoutRoutes(http, auth),
    ticketAndResetRoutes(http, auth),
    meRoutes(http, auth),
    ownAccessRoutes(http, auth),
  ],
  workers: authWorkers,
}
