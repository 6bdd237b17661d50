import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../../lib/shown-once'
import { Email, FullName, NewPassword } from '../../../../lib/fields'
import { Uuid, token } from '../model'

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
    access_token: Type.String({ ...SHOWN_ONCE }),
    refresh_token: Type.Union([Type.String(), Type.Null()], {
      ...SHOWN_ONCE,
      description: '`null` if it was set as a cookie.',
    }),
    expires_in: Type.Integer(),
  },
  { title: 'Registered' },
)
