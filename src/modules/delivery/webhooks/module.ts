import type { Module } from '../../../http/module'
import { carried, shared } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { ContactClosed } from '../../inbox/contacts/events'
import { ContactsMerged } from '../../inbox/messages/events'
import { webhookGate } from './delivery/gate'
import { replayRoutes } from './replays/routes'
import { deliveryRoutes } from './deliveries/routes'
import { endpointActionRoutes } from './endpoints/routes'
import { followMergeIn } from './erase'
import { storeUnreadIn } from './log/store-unread'
import { webhookRoutes } from './routes'
import { MAX_ENDPOINTS } from './rules'
import { webhookSubscribers } from './subscribers'
import { webhookSchedules, webhookWorkers } from './workers'
import {
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
  webhookHours,
  webhookPayloads,
  webhookReader,
  webhookReplays,
} from './table'

export const webhooksModule: Module = {
  name: 'webhooks',
  tables: [
    carried(webhookEndpoints, {
      limits: [{ rows: MAX_ENDPOINTS }],
      secrets: {
        headers_sealed: '{organization_id}/webhook_endpoints/headersSealed/{id}',
        secret_sealed: '{organization_id}/webhook_endpoints/secretSealed/{id}',
        previous_secret_sealed: '{organization_id}/webhook_endpoints/previousSecretSealed/{id}',
      },
    }),
    carried(webhookDeliveries),
    carried(webhookAttempts),
    carried(webhookPayloads),
    carried(webhookReplays),
    carried(webhookHours),
    shared(webhookReader, 'position of this server in its event log'),
  ],
  routes: ({ http }) => [
    webhookRoutes(http),
    endpointActionRoutes(http),
    deliveryRoutes(http),
    replayRoutes(http),
  ],
  workers: webhookWorkers,
  schedules: webhookSchedules,
  subscribers: webhookSubscribers,
  hooks: [onHook(ContactsMerged, followMergeIn), onHook(ContactClosed, storeUnreadIn)],
  gates: [webhookGate],
}
