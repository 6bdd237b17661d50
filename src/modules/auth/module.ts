import type { Http } from '../../http/http-deps'
import type { Module } from '../../http/module'
import { left, shared } from '../../infra/table-fates'
import type { AuthParts } from './issue-tokens'
import { authRoutes, logoutRoutes, lookRoutes, ticketAndResetRoutes } from './routes'
import { meRoutes, ownAccessRoutes } from './me/routes'
import { authWorkers } from './workers'

export const authModule: Module<{ http: Http; auth: AuthParts }> = {
  name: 'auth',
  tables: [
    left('refresh_tokens', 'sign-ins stay behind'),
    left('socket_tickets', 'valid for seconds'),
    left('token_cutoffs', 'tokens of this installation are not valid elsewhere'),
    shared('sessions', 'sign-ins of a person in all organizations'),
    shared('backup_codes', 'belong to a login'),
    shared('password_resets', 'belong to a login'),
    shared('rights_version', 'counter of this server'),
  ],
  routes: ({ http, auth }) => [
    authRoutes(http, auth),
    lookRoutes(http),
    logoutRoutes(http, auth),
    ticketAndResetRoutes(http, auth),
    meRoutes(http, auth),
    ownAccessRoutes(http, auth),
  ],
  workers: authWorkers,
}
