import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
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
import { accountQuality, accountUnknownFields, accounts } from './table'

export const accountsModule: Module = {
  name: 'accounts',
  tables: [
    carried(accounts, {
      secrets: {
        access_token_sealed: '{organization_id}/accounts/accessTokenSealed/{id}',
        app_secret_sealed: '{organization_id}/accounts/appSecretSealed/{id}',
        verify_token_sealed: '{organization_id}/accounts/verifyTokenSealed/{id}',
        pin_sealed: '{organization_id}/accounts/pinSealed/{id}',
        flow_private_key_sealed: '{organization_id}/accounts/flowPrivateKeySealed/{id}',
        flow_former_key_sealed: '{organization_id}/accounts/flowFormerKeySealed/{id}',
        flow_next_key_sealed: '{organization_id}/accounts/flowNextKeySealed/{id}',
      },
    }),
    carried(accountQuality),
    carried(accountUnknownFields),
  ],
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
