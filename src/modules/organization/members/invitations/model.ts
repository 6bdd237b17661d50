import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../../lib/shown-once'
import { Email } from '../../../../lib/fields'
import { Uuid, Time, timeOrNull, token } from '../model'

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
  { title: 'InvitationInput', examples: [{ email: 'jane@example.com', expires_in_hours: 72 }] },
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
    token: Type.String({ ...SHOWN_ONCE }),
    invite_url: Type.String({ ...SHOWN_ONCE }),
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

/** An invitation as the owner of its token sees it. */
export const InvitationPreview = Type.Object(
  {
    organization_id: Uuid,
    organization_name: Type.String(),
    logo_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the logo of the organization on this server, readable by everybody.',
    }),
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
