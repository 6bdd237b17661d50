import { Type, type Static } from '@sinclair/typebox'

import { nameText, oneOf } from '../../../lib/fields'
import { ASSIGNMENT_STRATEGIES, TEAM_ROLES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const integerOrNull = Type.Union([Type.Integer(), Type.Null()])

const Role = oneOf(TEAM_ROLES, {
  description: 'A manager can also change the team and its agents.',
})
export type TeamRole = Static<typeof Role>

const Name = nameText(100, {
  description: 'Unique in the organization, regardless of case and accents.',
})

const settings = {
  description: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  assignment_strategy: Type.Optional(
    oneOf(ASSIGNMENT_STRATEGIES, {
      description:
        'Who gets a waiting transfer: the member who has waited longest (`round_robin`, default), ' +
        'the one with the fewest active transfers (`load_balanced`), or nobody until a member ' +
        'picks it up (`manual`).',
    }),
  ),
  is_active: Type.Optional(
    Type.Boolean({
      description:
        'An inactive team gets no transfers, and its members do not see what is assigned to it. ' +
        'Defaults to `true`.',
    }),
  ),
  per_agent_timeout_secs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3_600,
      description:
        'Seconds a member has for the first reply before the transfer is offered to the next ' +
        'member. 0 (default) is no limit.',
    }),
  ),
  max_active_per_agent: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
      description: 'Maximum active transfers of one member in this team. `null` is no limit.',
    }),
  ),
}

/** A team in API responses. */
export const TeamView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: textOrNull,
    assignment_strategy: Type.String({ enum: [...ASSIGNMENT_STRATEGIES] }),
    is_active: Type.Boolean(),
    per_agent_timeout_secs: Type.Integer(),
    max_active_per_agent: integerOrNull,
    member_count: Type.Integer(),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Team' },
)
export type TeamView = Static<typeof TeamView>

/** A response with one team. */
export const TeamAnswer = Type.Object({ team: TeamView })
export type TeamAnswer = Static<typeof TeamAnswer>

/** A member of a team in API responses. */
const TeamMemberView = Type.Object(
  {
    id: Uuid,
    user_id: Uuid,
    full_name: Type.String(),
    email: Type.String(),
    role: Type.String({ enum: [...TEAM_ROLES] }),
    is_available: Type.Boolean({
      description: 'Whether the member accepts work now: active in the organization, and not away.',
    }),
    active_transfers: Type.Integer({ description: 'Active transfers of the member in this team.' }),
    last_assigned_at: Type.Union([Time, Type.Null()], {
      description: 'When the member was last given a transfer of this team.',
    }),
  },
  { title: 'TeamMember' },
)
export type TeamMemberView = Static<typeof TeamMemberView>

/** All members of a team. */
export const TeamMembers = Type.Object({
  members: Type.Array(TeamMemberView, { description: 'By name; at most 500.' }),
})

/** A team with its members. */
export const TeamDetails = Type.Object({ team: TeamView, members: Type.Array(TeamMemberView) })

/** A response with one member of a team. */
export const TeamMemberAnswer = Type.Object({ member: TeamMemberView })
export type TeamMemberAnswer = Static<typeof TeamMemberAnswer>

/** Body of a new member of a team. */
export const NewTeamMember = Type.Object(
  { user_id: Uuid, role: Type.Optional(Role) },
  {
    title: 'TeamMemberInput',
    examples: [{ user_id: '019a52b0-1c00-7000-8000-000000000003', role: 'agent' }],
  },
)
export type NewTeamMember = Static<typeof NewTeamMember>

/** Body that changes a member of a team. */
export const TeamMemberChanges = Type.Object(
  { role: Role },
  { title: 'TeamMemberChanges', examples: [{ role: 'manager' }] },
)

/** Body of a new team. */
export const NewTeam = Type.Object(
  { name: Name, ...settings },
  {
    title: 'TeamInput',
    examples: [
      {
        name: 'Support',
        description: 'Questions about orders',
        assignment_strategy: 'round_robin',
        per_agent_timeout_secs: 300,
        max_active_per_agent: 10,
      },
    ],
  },
)
export type NewTeam = Static<typeof NewTeam>

/** Changes to a team. Omitted fields stay as they are. */
export const TeamChanges = Type.Object(
  { name: Type.Optional(Name), ...settings },
  { title: 'TeamChanges', minProperties: 1, examples: [{ assignment_strategy: 'load_balanced' }] },
)
export type TeamChanges = Static<typeof TeamChanges>
