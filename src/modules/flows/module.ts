import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { flowRoutes, flowWorkRoutes, platformFlowRoutes } from './routes'
import { flowEndpointRoutes } from './endpoint/routes'
import { flowWorkers } from './workers'

export const flowsModule: Module = {
  name: 'flows',
  tables: [
    carried('flows', {
      secrets: {
        endpoint_secret_sealed: '{organization_id}/flows/secret/{id}',
        endpoint_headers_sealed: '{organization_id}/flows/headers/{id}',
      },
    }),
    carried('flow_tokens'),
    carried('flow_responses'),
    carried('flow_exchanges'),
  ],
  routes: ({ http }) => [
    flowRoutes(http),
    flowWorkRoutes(http),
    platformFlowRoutes(http),
    flowEndpointRoutes(http),
  ],
  workers: flowWorkers,
}
