import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { MeView } from './me/model'

const Uuid = Type.String({ format: 'uuid' })

const tokens = {
  access_token: Type.String({
    ...SHOWN_ONCE,
    description: 'JWT for the `Authorization` header and the WebSocket.',
  }),
  refresh_token: Type.Union([Type.String(), Type.Null()], {
    ...SHOWN_ONCE,
    description: 'Single-use JWT for `POST /api/auth/refresh`. `null` if it was set as a cookie.',
  }),
  expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.' }),
  me: Type.Optional(MeView),
}

/** A pair of tokens (spec 2.6). */
export const TokensView = Type.Object(tokens, {
  title: 'Tokens',
  examples: [{ access_token: 'eyJhbGciOi…', refresh_token: 'eyJhbGciOi…', expires_in: 3600 }],
})

/** Response of a switch to another organization (spec 2.4: with the permissions of the role). */
export const SwitchedView = Type.Object(
  {
    user: Type.Object({
      id: Uuid,
      email: Type.String(),
      full_name: Type.String(),
      organization_id: Uuid,
      role: Type.Object({
        id: Uuid,
        name: Type.String(),
        permissions: Type.Array(Type.Object({ resource: Type.String(), action: Type.String() })),
      }),
    }),
    ...tokens,
  },
  { title: 'Switched' },
)
export type SwitchView = Pick<Static<typeof SwitchedView>, 'user'>

/** Response of a sign-in: `name` (spec 2.4), and `full_name` as in every other answer. */
export const LoginView = Type.Object(
  {
    user: Type.Object({
      id: Uuid,
      email: Type.String(),
      name: Type.String(),
      full_name: Type.String(),
      organization_id: Uuid,
      is_super_admin: Type.Boolean(),
    }),
    ...tokens,
  },
  { title: 'Login' },
)
export type LoginUser = Pick<Static<typeof LoginView>, 'user'>
