import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { teamMemberRoutes, teamRoutes } from './routes'
import { teamMembers, teams } from './table'

export const teamsModule: Module = {
  name: 'teams',
  tables: [carried(teams), carried(teamMembers)],
  routes: ({ http }) => [teamRoutes(http), teamMemberRoutes(http)],
}
