import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { teamMemberRoutes, teamRoutes } from './routes'

export const teamsModule: Module = {
  name: 'teams',
  tables: [carried('teams'), carried('team_members')],
  routes: ({ http }) => [teamRoutes(http), teamMemberRoutes(http)],
}
