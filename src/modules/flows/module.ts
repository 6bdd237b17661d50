import type { Module } from '../../http/module'
import { flowRoutes, flowWorkRoutes, platformFlowRoutes } from './routes'
import { flowEndpointRoutes } from './endpoint/routes'
import { flowWorkers } from './workers'

export const flowsModule: Module = {
  name: 'flows',
  routes: ({ http }) => [
    flowRoutes(http),
    flowWorkRoutes(http),
    platformFlowRoutes(http),
    flowEndpointRoutes(http),
  ],
  workers: flowWorkers,
}
