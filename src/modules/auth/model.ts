import { Type, type Static } from '@sinclair/typebox'

import { OrganizationSettings } from '../organizations/model'

const Uuid = Type.String({ format: 'uuid' })

/** What a sign-in needs (spec 4.1). */
export const Credentials = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320, description: 'In any case, with spaces around it if need be.' }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
  },
  { title: 'Credentials', examples: [{ email: 'admin@switchboard.local', password: 'correct horse battery staple' }] },
)
export type Credentials = Static<typeof Credentials>

/** A refresh token to exchange (spec 4.1). */
export const RefreshRequest = Type.Object(
  { refresh_token: Type.String({ minLength: 1, maxLength: 4_096 }) },
  { title: 'RefreshRequest', examples: [{ refresh_token: 'eyJhbGciOi…' }] },
)

/** A refresh token whose session is to end; unknown and missing ones are no error. */
export const LogoutRequest = Type.Object(
  { refresh_token: Type.Optional(Type.String({ maxLength: 4_096 })) },
  { title: 'LogoutRequest', examples: [{ refresh_token: 'eyJhbGciOi…' }] },
)

const tokens = {
  access_token: Type.String({ description: 'JWT for the Authorization header and the socket.' }),
  refresh_token: Type.String({ description: 'JWT that buys the next pair, once.' }),
  expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.' }),
}

/** A pair of tokens (spec 2.6). */
export const TokensView = Type.Object(tokens, {
  title: 'Tokens',
  examples: [{ access_token: 'eyJhbGciOi…', refresh_token: 'eyJhbGciOi…', expires_in: 3600 }],
})
export type TokensView = Static<typeof TokensView>

/** The answer to a login (spec 2.4: the login answers `name`). */
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
export type LoginView = Static<typeof LoginView>

const Time = Type.String({ format: 'date-time' })

/** The caller: person, organization, role and rights. */
export const MeView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    full_name: Type.String(),
    role_id: Uuid,
    role: Type.Object({ id: Uuid, name: Type.String(), description: Type.String(), is_system: Type.Boolean() }),
    is_active: Type.Boolean(),
    is_available: Type.Boolean(),
    is_member: Type.Boolean({ description: 'True when another organization manages the account.' }),
    is_super_admin: Type.Boolean(),
    membership_id: Type.Union([Uuid, Type.Null()]),
    organization_id: Uuid,
    organization: Type.Object({ id: Uuid, name: Type.String(), slug: Type.String(), settings: OrganizationSettings }),
    permissions: Type.Array(Type.String({ description: 'resource:action' })),
    default_organization_id: Type.Union([Uuid, Type.Null()]),
    must_change_password: Type.Boolean({ description: 'Somebody else chose the password.' }),
    last_login_at: Type.Union([Time, Type.Null()]),
    created_at: Time,
    updated_at: Time,
    auth: Type.Object({ type: Type.String({ enum: ['session', 'api_key'] }), id: Type.Union([Uuid, Type.Null()]) }),
  },
  { title: 'Me' },
)
export type MeView = Static<typeof MeView>
