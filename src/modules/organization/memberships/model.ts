import { Type, type Static } from '@sinclair/typebox'

import { Email } from '../../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

/** A member of the organization (spec 2.5). */
export const MemberView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'ID of the membership.' }),
    user_id: Uuid,
    organization_id: Uuid,
    role_id: Uuid,
    role_name: Type.String(),
    is_default: Type.Boolean({
      description: 'Whether the user starts in this organization after signing in.',
    }),
    email: Type.String(),
    full_name: Type.String(),
    is_active: Type.Boolean({
      description: '`false` while suspended in this organization or while the account is disabled.',
    }),
    created_at: Time,
  },
  { title: 'Member' },
)
export type MemberView = Static<typeof MemberView>

/** A page of members (spec 4.3). */
export const MemberList = Type.Object(
  {
    members: Type.Array(MemberView),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
  },
  { title: 'Members' },
)
export type MemberList = Static<typeof MemberList>

/** The user to add: exactly one of `user_id` and `email`. */
export const NewMember = Type.Object(
  {
    user_id: Type.Optional(Uuid),
    email: Type.Optional(Email),
    role_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Defaults to the default role.' }),
    ),
  },
  { title: 'MemberInput', examples: [{ email: 'jane@example.com' }] },
)
export type NewMember = Static<typeof NewMember>

/** The new role of a member. */
export const MemberRole = Type.Object(
  { role_id: Uuid },
  { title: 'MemberRole', examples: [{ role_id: '019a52b0-1c00-7000-8000-000000000003' }] },
)
