import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { PageOf, pageQuery } from '../../http/pagination'
import { NewTeam, TeamAnswer, TeamView } from './model'
import { listTeams } from './queries'
import { createTeam } from './service'

const TeamsQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 100, description: 'Part of the name.' })),
})
const TeamPage = Type.Composite([
  PageOf(TeamView),
  Type.Object({ teams: Type.Array(TeamView, { description: 'Same as `items`.' }) }),
])

/** Routes for teams. */
export const teamRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/teams', tags: ['Teams'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search } }) =>
        ok(listTeams(ctx, { page, limit, search })),
      {
        canOrPerson: 'teams:read',
        query: TeamsQuery,
        response: { 200: Ok(TeamPage) },
        detail: {
          operationId: 'listTeams',
          summary: 'List teams',
          description:
            'Lists teams by name: all with `teams:read`, otherwise those of the signed-in user.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createTeam(ctx, body))), {
      can: 'teams:create',
      refuses: ['400 too_many_teams', '409 name_taken'],
      body: NewTeam,
      response: { 201: Ok(TeamAnswer) },
      detail: {
        operationId: 'createTeam',
        summary: 'Create a team',
        description:
          'An organization can have up to 200 teams. Fails with 409 `name_taken` if another team ' +
          'has the name.',
      },
    })
