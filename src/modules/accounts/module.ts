import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { accountRoutes } from './routes'
import { connectionRoutes } from './connection/routes'
import { accountWebhookRoutes } from './webhooks/routes'
import { profileRoutes } from './profile/routes'
import { callingRoutes } from './calling/routes'
import { entryPointRoutes } from './entry-points/routes'
import { flowKeyRoutes } from './flow-key/routes'
import { accountRoutingRoutes } from './routing/routes'
import { signupRoutes } from './signup/routes'
import { accountSchedules, accountWorkers } from './workers'

export const accountsModule: Module = {
  name: 'accounts',
  tables: [carried('accounts'), carried('account_quality'), carried('account_unknown_fields')],
  routes: ({ http }) => [
    accountRoutes(http),
    connectionRoutes(http),
    accountWebhookRoutes(http),
    profileRoutes(http),
    callingRoutes(http),
    entryPointRoutes(http),
    flowKeyRoutes(http),
    accountRoutingRoutes(http),
    signupRoutes(http),
  ],
  workers: accountWorkers,
  schedules: accountSchedules,
}
