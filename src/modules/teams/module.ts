import type { Module } from '../../http/module'
import { teamMemberRoutes, teamRoutes } from './routes'

export const teamsModule: Module = {
  name: 'teams',
  routes: ({ http }) => [teamRoutes(http), teamMemberRoutes(http)],
}
