import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { AccountArrived } from '../accounts/events'
import { directEndpointsIn } from './direct-endpoints'
import { flowRoutes, flowWorkRoutes, platformFlowRoutes } from './routes'
import { flowEndpointRoutes } from './endpoint/routes'
import { flowWorkers } from './workers'
import { flowExchanges, flows } from './table'
import { flowResponses, flowTokens } from './sent-table'

export const flowsModule: Module = {
  name: 'flows',
  tables: [
    carried(flows, {
      secrets: {
        endpoint_secret_sealed: '{organization_id}/flows/secret/{id}',
        endpoint_headers_sealed: '{organization_id}/flows/headers/{id}',
      },
    }),
    carried(flowTokens),
    carried(flowResponses),
    carried(flowExchanges),
  ],
  routes: ({ http }) => [
    flowRoutes(http),
    flowWorkRoutes(http),
    platformFlowRoutes(http),
    flowEndpointRoutes(http),
  ],
  workers: flowWorkers,
  hooks: [
    onHook(AccountArrived, (tx, ctx, { accountId }) => directEndpointsIn(tx, ctx, accountId)),
  ],
}
