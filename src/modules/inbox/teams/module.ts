import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { MAX_MEMBERS } from './members'
import { teamMemberRoutes, teamRoutes } from './routes'
import { MAX_TEAMS } from './service'
import { teamMembers, teams } from './table'

export const teamsModule: Module = {
  name: 'teams',
  tables: [
    carried(teams, { limits: [{ rows: MAX_TEAMS }] }),
    carried(teamMembers, { limits: [{ rows: MAX_MEMBERS, per: 'team_id' }] }),
  ],
  routes: ({ http }) => [teamRoutes(http), teamMemberRoutes(http)],
}
