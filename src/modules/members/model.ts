import { Type, type Static } from '@sinclair/typebox'

import { Email, FullName, NewPassword } from '../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])

const token = Type.String({ minLength: 1, maxLength: 255 })

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
    title: 'NewUser',
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
      }),
    ),
  },
  { title: 'OwnOrganizations' },
)
export type OwnOrganizations = Static<typeof OwnOrganizations>

/** Body of a registration (spec 4.1). */
export const Registration = Type.Object(
  {
    email: Email,
    password: NewPassword,
    full_name: FullName,
    organization_id: Type.String({
      format: 'uuid',
      description: 'Organization to join, usually from an invitation link.',
    }),
    invitation_token: Type.Optional(token),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Two-factor code, if the email belongs to an account with two-factor authentication.',
      }),
    ),
    use_cookie: Type.Optional(
      Type.Boolean({
        description:
          'For browsers. If `true`, the refresh token is set as a cookie and is `null` in the ' +
          'body.',
      }),
    ),
  },
  {
    title: 'Registration',
    examples: [
      {
        email: 'jane@example.com',
        password: 'correct horse battery staple',
        full_name: 'Jane Doe',
        organization_id: '019a52b0-1c00-7000-8000-000000000001',
      },
    ],
  },
)
export type Registration = Static<typeof Registration>

const registeredUser = Type.Object({
  id: Uuid,
  email: Type.String(),
  full_name: Type.String(),
  organization_id: Uuid,
  role: Type.Object({ id: Uuid, name: Type.String() }),
})
export type RegisteredUser = Static<typeof registeredUser>

/** The registered user with tokens (spec 2.4). */
export const RegistrationView = Type.Object(
  {
    user: registeredUser,
    access_token: Type.String(),
    refresh_token: Type.Union([Type.String(), Type.Null()], {
      description: '`null` if it was set as a cookie.',
    }),
    expires_in: Type.Integer(),
  },
  { title: 'Registered' },
)

/** Body of a new invitation. */
export const NewInvitation = Type.Object(
  {
    email: Type.Optional(
      Type.Union([Email, Type.Null()], { description: '`null` = anyone with the link.' }),
    ),
    role_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Defaults to the default role.' }),
    ),
    expires_in_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 720, description: 'Default 168.' }),
    ),
  },
  { title: 'NewInvitation', examples: [{ email: 'jane@example.com', expires_in_hours: 72 }] },
)
export type NewInvitation = Static<typeof NewInvitation>

export const INVITATION_STATES = ['pending', 'accepted', 'revoked', 'expired'] as const
export type InvitationState = (typeof INVITATION_STATES)[number]

const invitation = {
  id: Uuid,
  email: Type.Union([Type.String(), Type.Null()]),
  role_id: Uuid,
  role_name: Type.String(),
  status: Type.String({ enum: [...INVITATION_STATES] }),
  expires_at: Time,
  accepted_at: timeOrNull,
  accepted_by_user_id: Type.Union([Uuid, Type.Null()]),
  invited_by: Type.Object({ id: Uuid, full_name: Type.String() }),
  created_at: Time,
}

const MAIL_STATES = ['queued', 'sent', 'failed'] as const

/** An invitation. Only the response of its creation contains the link. */
export const InvitationView = Type.Object(
  {
    ...invitation,
    mail: Type.Union([Type.String({ enum: [...MAIL_STATES] }), Type.Null()], {
      description:
        'Delivery state of the invitation email: waiting for an attempt, accepted by the mail ' +
        'server, or failed (see `GET /api/jobs` for the reason). `null` if none was sent, or ' +
        'more than a day ago.',
    }),
  },
  { title: 'Invitation' },
)
export type InvitationView = Static<typeof InvitationView>

/** A new invitation with its link. */
export const InvitationLink = Type.Object(
  {
    ...invitation,
    token: Type.String(),
    invite_url: Type.String(),
    mail: Type.String({
      enum: [...MAIL_STATES, 'not_configured'],
      description:
        '`queued`: the email is being sent; see `GET /api/organizations/invitations` for its ' +
        'delivery. `not_configured`: no email is sent; share the link yourself.',
    }),
  },
  { title: 'InvitationLink' },
)
export type InvitationLink = Static<typeof InvitationLink>

/** The token of an invitation link. */
export const InvitationToken = Type.Object(
  { token },
  {
    title: 'InvitationToken',
    examples: [{ token: 'q3Jm0c9Zt1vN4wXy7aBdEfGhIjKlMnOpQrStUvWx012' }],
  },
)

/** What an invitation offers to the owner of its token. */
export const InvitationPreview = Type.Object(
  {
    organization_id: Uuid,
    organization_name: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    role_name: Type.String(),
    expires_at: Time,
  },
  { title: 'InvitationPreview' },
)
export type InvitationPreview = Static<typeof InvitationPreview>

/** The organization the caller joined. */
export const Joined = Type.Object(
  { message: Type.String(), organization_id: Uuid, role_name: Type.String() },
  { title: 'Joined' },
)
export type Joined = Static<typeof Joined>
