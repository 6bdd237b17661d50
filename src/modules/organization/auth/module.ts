import type { Http } from '../../../http/http-deps'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { left, shared } from '../../../infra/table-fates'
import type { AuthParts } from './issue-tokens'
import { authRoutes, logoutRoutes, lookRoutes, ticketAndResetRoutes } from './routes'
import { meRoutes, ownAccessRoutes } from './me/routes'
import { authWorkers } from './workers'
import {
  backupCodes,
  passwordResets,
  refreshTokens,
  rightsVersion,
  sessions,
  socketTickets,
  tokenCutoffs,
} from './table'
import { TicketView } from './model'
import { issueTicket } from './tickets'

export const authModule: Module<{ http: Http; auth: AuthParts }> = {
  name: 'auth',
  tables: [
    left(refreshTokens, 'sign-ins stay behind'),
    left(socketTickets, 'valid for seconds'),
    left(tokenCutoffs, 'tokens of this installation are not valid elsewhere'),
    shared(sessions, 'sign-ins of a person in all organizations'),
    shared(backupCodes, 'belong to a login'),
    shared(passwordResets, 'belong to a login'),
    shared(rightsVersion, 'counter of this server'),
  ],
  startParts: () => [startPart({ name: 'socket_ticket', schema: TicketView, read: issueTicket })],
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
