import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { Email, NewPassword } from '../../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })

/** A two-factor code. */
export const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Six digits from the authenticator app, or a backup code.',
})

/** A flag for browsers: sends the refresh token as a cookie that scripts cannot read. */
const UseCookie = Type.Optional(
  Type.Boolean({
    description:
      'For browsers. If `true`, the refresh token is set as the `swb_refresh` cookie and is ' +
      '`null` in the body.',
  }),
)

/** What the response also contains. */
const Include = Type.Optional(
  Type.Array(Type.Union([Type.Literal('me'), Type.Literal('start')]), {
    maxItems: 2,
    uniqueItems: true,
    description:
      'With `me`, the response also contains what `GET /api/me` returns; with `start`, what a ' +
      'client shows first, so that it starts with one request.',
  }),
)

/** Body of a sign-in (spec 4.1). */
export const Credentials = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 320,
      description: 'Email address. Case-insensitive; surrounding spaces are removed.',
    }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
    code: Type.Optional(Code),
    use_cookie: UseCookie,
    include: Include,
  },
  {
    title: 'Credentials',
    examples: [{ email: 'admin@switchboard.local', password: 'correct horse battery staple' }],
  },
)
export type Credentials = Static<typeof Credentials>

/** What strangers see of an organization on the sign-in page. */
export const SignInLook = Type.Object(
  {
    name: Type.Union([Type.String(), Type.Null()]),
    logo_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the logo on this server, readable by everybody.',
    }),
  },
  { title: 'SignInBranding' },
)

/** A refresh token to exchange (spec 4.1). */
export const RefreshRequest = Type.Object(
  {
    refresh_token: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
    use_cookie: UseCookie,
    include: Include,
  },
  { title: 'RefreshRequest', examples: [{ refresh_token: 'eyJhbGciOi…' }] },
)

/** The refresh token whose session ends. Unknown and missing tokens are no error. */
export const LogoutRequest = Type.Object(
  { refresh_token: Type.Optional(Type.Union([Type.String(), Type.Null()])) },
  { title: 'LogoutInput', examples: [{ refresh_token: 'eyJhbGciOi…' }] },
)

/** Which sessions end. */
export const LogoutAllRequest = Type.Object(
  {
    keep_current: Type.Optional(
      Type.Boolean({ description: 'If `true`, the current session is kept. Defaults to `false`.' }),
    ),
  },
  { title: 'LogoutAllInput', examples: [{ keep_current: true }] },
)

/** Number of sessions that ended. */
export const LoggedOutView = Type.Object(
  { message: Type.String(), sessions_ended: Type.Integer() },
  { title: 'LoggedOut' },
)

/** The organization to switch to (spec 4.1). */
export const SwitchRequest = Type.Object(
  { organization_id: Uuid, use_cookie: UseCookie, include: Include },
  {
    title: 'SwitchRequest',
    examples: [{ organization_id: '019a52b0-1c00-7000-8000-000000000001' }],
  },
)

/** The email for a password reset. */
export const ForgotRequest = Type.Object(
  { email: Email },
  { title: 'ForgotRequest', examples: [{ email: 'admin@switchboard.local' }] },
)

/** A new password and the token of a reset link. */
export const ResetRequest = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }), new_password: NewPassword },
  {
    title: 'ResetRequest',
    examples: [{ token: 'vN0oEHbq…', new_password: 'correct horse battery staple' }],
  },
)

/** A password reset link. */
export const ResetLinkView = Type.Object(
  {
    reset_url: Type.String({ ...SHOWN_ONCE, description: 'Returned only once.' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ResetLink' },
)
export type ResetLinkView = Static<typeof ResetLinkView>

/** A ticket that opens one socket. */
export const TicketView = Type.Object(
  { ticket: Type.String({ ...SHOWN_ONCE }), expires_in: Type.Integer({ description: 'Seconds.' }) },
  { title: 'Ticket' },
)
