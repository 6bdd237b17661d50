import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import type { Ctx } from '../../../infra/ctx'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { addTeamMember, changeTeamMember, removeTeamMember } from './members'
import {
  NewTeam,
  NewTeamMember,
  TeamAnswer,
  TeamChanges,
  TeamDetails,
  TeamMemberAnswer,
  TeamMemberChanges,
  TeamMembers,
  TeamView,
} from './model'
import { getTeam, listTeamMembers, listTeams } from './queries'
import { createTeam, deleteTeam, updateTeam } from './service'

const TeamsQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 100, description: 'Part of the name.' })),
  for: t.Optional(
    oneOf(['hand_over'], {
      description:
        'Lists the active teams to which the caller can hand over a conversation: all, with ' +
        '`transfers:create` or `transfers:assign`.',
    }),
  ),
})
const TeamPage = Type.Composite([
  PageOf(TeamView),
  Type.Object({ teams: Type.Array(TeamView, { description: 'Same as `items`.' }) }),
])
const MemberParams = t.Object({
  id: t.String({ format: 'uuid' }),
  user_id: t.String({ format: 'uuid' }),
})

export const teamRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/teams', tags: ['Teams'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, for: purpose } }) =>
        ok(listTeams(ctx, { page, limit, search, purpose })),
      {
        can: { permission: 'teams:read', people: 'always' },
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
      refuses: ['409 limit_reached', '409 name_taken'],
      body: NewTeam,
      response: { 201: Ok(TeamAnswer) },
      detail: {
        operationId: 'createTeam',
        summary: 'Create a team',
        description: 'An organization can have up to 200 teams.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getTeam(ctx, params.id)), {
      can: { permission: 'teams:read', people: 'always' },
      params: IdParam,
      response: { 200: Ok(TeamDetails) },
      detail: {
        operationId: 'getTeam',
        summary: 'Get a team with its members',
        description: 'A user without `teams:read` can get only their own teams.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateTeam(ctx, params.id, body)), {
      unlessChanged: (ctx: Ctx, id: string) => getTeam(ctx, id).team,
      can: { permission: 'teams:update', people: 'always' },
      refuses: ['409 name_taken'],
      params: IdParam,
      body: TeamChanges,
      response: { 200: Ok(TeamAnswer) },
      detail: {
        operationId: 'updateTeam',
        summary: 'Update a team',
        description:
          'Only the fields you send change. A user without `teams:update` can update the teams they ' +
          'manage. While a team is inactive, its members do not see what is assigned to it, and its ' +
          'waiting transfers move to the general queue.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params, query }) => {
        deleteTeam(ctx, params.id, query.force === true)
        return ok({ message: 'The team is deleted.' })
      },
      {
        can: 'teams:delete',
        refuses: ['409 in_use'],
        params: IdParam,
        query: t.Object({
          force: t.Optional(
            t.BooleanString({ description: 'Delete it although rules or flows name it.' }),
          ),
        }),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteTeam',
          summary: 'Delete a team',
          description:
            'Its waiting transfers move to the general queue; transfers with an agent stay with the ' +
            'agent. Contacts and conversations are no longer assigned to it. While rules or flows ' +
            'name the team, fails with 409 `in_use` and lists them.',
        },
      },
    )

export const teamMemberRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/teams/:id/members', tags: ['Teams'] })
    .use(guard(http))
    .get('', ({ ctx, params }) => ok(listTeamMembers(ctx, params.id)), {
      can: { permission: 'teams:read', people: 'always' },
      params: IdParam,
      response: { 200: Ok(TeamMembers) },
      detail: {
        operationId: 'listTeamMembers',
        summary: 'List the members of a team',
        description: 'A user without `teams:read` can list the members of their own teams.',
      },
    })
    .post(
      '',
      ({ ctx, params, body, status }) => status(201, ok(addTeamMember(ctx, params.id, body))),
      {
        can: { permission: 'teams:update', people: 'always' },
        refuses: ['400 not_a_member', '409 limit_reached', '409 already_member'],
        params: IdParam,
        body: NewTeamMember,
        response: { 201: Ok(TeamMemberAnswer) },
        detail: {
          operationId: 'addTeamMember',
          summary: 'Add a member to a team',
          description:
            'Any member of the organization can be added. The role defaults to `agent`. A manager of ' +
            'the team without `teams:update` can only add agents.',
        },
      },
    )
    .put(
      '/:user_id',
      ({ ctx, params, body }) =>
        ok(changeTeamMember(ctx, { teamId: params.id, userId: params.user_id }, body.role)),
      {
        can: { permission: 'teams:update', people: 'always' },
        params: MemberParams,
        body: TeamMemberChanges,
        response: { 200: Ok(TeamMemberAnswer) },
        detail: {
          operationId: 'updateTeamMember',
          summary: 'Change the role of a team member',
          description: 'Making a manager, or changing one, requires `teams:update`.',
        },
      },
    )
    .delete(
      '/:user_id',
      ({ ctx, params }) => {
        removeTeamMember(ctx, { teamId: params.id, userId: params.user_id })
        return ok({ message: 'The member is removed from the team.' })
      },
      {
        can: { permission: 'teams:update', people: 'always' },
        params: MemberParams,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'removeTeamMember',
          summary: 'Remove a member from a team',
          description: 'Removing a manager requires `teams:update`.',
        },
      },
    )
