import { Type, type Static } from '@sinclair/typebox'

import { Email, FullName, NewPassword } from '../../../lib/fields'
import { pageTotals } from '../organizations/model'

export const Uuid = Type.String({ format: 'uuid' })

export const Time = Type.String({ format: 'date-time' })

export const timeOrNull = Type.Union([Time, Type.Null()])

export const token = Type.String({ minLength: 1, maxLength: 255 })

/** A user of the organization. */
export const UserView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    full_name: Type.String(),
    role_id: Uuid,
    role: Type.Object({ id: Uuid, name: Type.String(), is_system: Type.Boolean() }),
    is_active: Type.Boolean({
      description: '`false` while suspended in this organization or while the account is disabled.',
    }),
    is_confirmed: Type.Boolean({
      description:
        '`false` for a person who joined with nothing but the ID of the organization. Until an admin ' +
        'confirms the person, the role gives no access to customers.',
    }),
    is_available: Type.Boolean(),
    is_member: Type.Boolean({
      description: 'Whether the account is managed by another organization or by its owner alone.',
    }),
    is_super_admin: Type.Boolean(),
    membership_id: Uuid,
    two_factor_enabled: Type.Boolean(),
    last_login_at: timeOrNull,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'User' },
)

export type UserView = Static<typeof UserView>

/** Body of a new user of this organization. */
export const NewUser = Type.Object(
  {
    email: Email,
    password: NewPassword,
    full_name: FullName,
    role_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Defaults to the default role.' }),
    ),
    is_super_admin: Type.Optional(Type.Boolean({ description: 'Super admins only.' })),
  },
  {
    title: 'UserInput',
    examples: [
      {
        email: 'jane@example.com',
        password: 'correct horse battery staple',
        full_name: 'Jane Doe',
      },
    ],
  },
)

export type NewUser = Static<typeof NewUser>

/**
 * Changes to a user: fields of the membership, of the account, and fields only super admins may
 * change.
 */
export const UserChanges = Type.Partial(
  Type.Object({
    role_id: Uuid,
    is_active: Type.Boolean({ description: '`false` suspends the user in this organization.' }),
    is_confirmed: Type.Literal(true, {
      description: 'Confirms a person who joined with nothing but the ID of the organization.',
      error: 'must be true',
    }),
    full_name: FullName,
    email: Email,
    password: NewPassword,
    is_super_admin: Type.Boolean({ description: 'Super admins only.' }),
    account_disabled: Type.Boolean({
      description: 'Super admins only. `false` disables the account in all organizations.',
    }),
  }),
  { title: 'UserChanges', minProperties: 1, examples: [{ full_name: 'Jane Roe' }] },
)

export type UserChanges = Static<typeof UserChanges>

/** The effects of ending a membership. */
export const Removed = Type.Object(
  {
    message: Type.String(),
    contacts_unassigned: Type.Integer(),
    transfers_returned: Type.Integer(),
    api_keys_stopped: Type.Integer(),
  },
  { title: 'Removed' },
)

export type Removed = Static<typeof Removed>

/** Whether a person accepts new work. */
export const Availability = Type.Object(
  { is_available: Type.Boolean() },
  { title: 'Availability', examples: [{ is_available: true }] },
)

/** Whether a person accepts new work, and since when not. */
export const AvailabilityView = Type.Object(
  {
    message: Type.String(),
    is_available: Type.Boolean(),
    status: Type.String({ enum: ['available', 'away'] }),
    break_started_at: timeOrNull,
    transfers_to_queue: Type.Integer({
      description: 'Number of transfers returned to their queues.',
    }),
  },
  { title: 'AvailabilityView' },
)

export type AvailabilityView = Static<typeof AvailabilityView>

/** The organizations of the caller. */
export const OwnOrganizations = Type.Object(
  {
    organizations: Type.Array(
      Type.Object({
        organization_id: Uuid,
        name: Type.String(),
        slug: Type.String(),
        role_id: Uuid,
        role_name: Type.String(),
        is_default: Type.Boolean(),
        moved_to: Type.Optional(
          Type.String({
            description:
              'Address of the server to which the organization has moved. Sign in there; a switch to ' +
              'it is refused here with `moved`.',
          }),
        ),
      }),
    ),
    ...pageTotals,
  },
  { title: 'OwnOrganizations' },
)

export type OwnOrganizations = Static<typeof OwnOrganizations>
