import { Type, type TObject, type TProperties } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import {
  clearCookies,
  cookieToken,
  setSignInCookies,
  requireRefreshToken,
} from '../../../http/sign-in-cookies'
import { originOf, requestFacts } from '../../../http/request-facts'
import { readStart, startSchema } from '../../../http/start-parts'
import type { Ctx } from '../../../infra/ctx'
import { findOnlyLook } from '../organizations/logo'
import { requestPasswordReset, resetPassword } from './password-reset/request'
import { refresh, switchOrganization, type AuthParts } from './issue-tokens'
import {
  Credentials,
  ForgotRequest,
  LoggedOutView,
  LogoutAllRequest,
  LogoutRequest,
  RefreshRequest,
  ResetRequest,
  SignInLook,
  SwitchRequest,
  TicketView,
} from './model'
import { includeWanted } from './me/include'
import { login, logout, logoutAll } from './sign-in'
import { issueTicket } from './tickets'
import { LoginView, SwitchedView, TokensView } from './token-views'

/** Errors of a sign-in. */
const LOGIN_REFUSALS = [
  '401 invalid_credentials',
  '401 two_factor_required',
  '401 two_factor_invalid',
  '401 account_disabled',
  '401 no_membership',
  '429 too_many_failures',
  '503 unavailable',
  '409 moved',
  '503 organization_moving',
] as const

/** Errors of a refresh. */
const REFRESH_REFUSALS = [
  '401 no_session',
  '401 invalid_token',
  '401 token_expired',
  '401 token_reused',
  '401 session_ended',
  '401 membership_ended',
  '401 account_disabled',
] as const

/** Returns the schema of an answer with tokens that may also bring the parts of a start. */
const withStart = <P extends TProperties>(view: TObject<P>, { startParts }: Http) =>
  Type.Object(
    { ...view.properties, start: Type.Optional(startSchema(startParts)) },
    { title: view['title'] as string, examples: view['examples'] as unknown[] }, // as declared
  )

/** Returns the function that reads the parts of a start. */
const startReader = (http: Http) => (ctx: Ctx) => readStart(ctx, http.startParts)

/** Routes to sign in, refresh and switch (spec 4.1). */
export const authRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post(
      '/login',
      async ({ body, request, set }) => {
        const { use_cookie: usesCookie, include, ...credentials } = body
        const origin = originOf(request)
        const tokens = await login(http, parts, { ...credentials, ...origin })
        return ok(
          await includeWanted(http, setSignInCookies(http, set, tokens, usesCookie), {
            parts,
            readStart: startReader(http),
            include,
            origin,
          }),
        )
      },
      {
        anyone: 'authenticates with a password',
        refuses: LOGIN_REFUSALS,
        body: Credentials,
        response: { 200: Ok(withStart(LoginView, http)) },
        detail: {
          operationId: 'login',
          summary: 'Sign in',
          description:
            'Signs in with email and password. If two-factor authentication is enabled, fails with ' +
            '401 `two_factor_required` until you repeat the request with `code`. Further attempts ' +
            'fail with 429 `too_many_failures` after 10 failures within 15 minutes for one account ' +
            'from one address, 30 from one address, or 100 for one account. Addresses that signed ' +
            'in to the account within the last 30 days are not affected by failures from other ' +
            'addresses.',
        },
      },
    )
    .post(
      '/refresh',
      async ({ body, request, set }) => {
        const token = requireRefreshToken(http, request, body.refresh_token)
        const origin = originOf(request)
        const tokens = await refresh(http, parts, token, origin)
        return ok(
          await includeWanted(http, setSignInCookies(http, set, tokens, body.use_cookie), {
            parts,
            readStart: startReader(http),
            include: body.include,
            origin,
          }),
        )
      },
      {
        anyone: 'authenticates with a refresh token',
        refuses: REFRESH_REFUSALS,
        body: RefreshRequest,
        response: { 200: Ok(withStart(TokensView, http)) },
        detail: {
          operationId: 'refreshToken',
          summary: 'Refresh tokens',
          description:
            'Exchanges a refresh token for a new access and refresh token in the same ' +
            'organization. A refresh token can be used once; reusing it ends the session (401 ' +
            '`token_reused`). To make lost responses harmless, a retry within 10 seconds returns ' +
            'the same new tokens as long as they are unused. Fails with 401 `no_session` if the ' +
            'request has neither a token nor the cookie.',
        },
      },
    )
    .post(
      '/switch-org',
      async ({ ctx, body, request, set }) => {
        const tokens = await switchOrganization(ctx, parts, body.organization_id)
        return ok(
          await includeWanted(http, setSignInCookies(http, set, tokens, body.use_cookie), {
            parts,
            readStart: startReader(http),
            include: body.include,
            origin: originOf(request),
          }),
        )
      },
      {
        can: { permission: 'session', anytime: true },
        refuses: ['403 not_a_member'],
        body: SwitchRequest,
        response: { 200: Ok(withStart(SwitchedView, http)) },
        detail: {
          operationId: 'switchOrganization',
          summary: 'Switch organization',
          description:
            'Returns tokens for another organization the caller belongs to, with the role and ' +
            'permissions there. The previous tokens stay valid. Possible while the current ' +
            'organization is being moved to another server.',
        },
      },
    )

/** Route for the look of the sign-in page. */
export const lookRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/auth/branding', tags: ['Authentication'] }).use(guard(http)).get(
    '',
    ({ deps }) => {
      const look = findOnlyLook(deps)
      return ok({ name: look?.name ?? null, logo_url: look?.logoUrl ?? null })
    },
    {
      anyone: 'shows only what is public',
      response: { 200: Ok(SignInLook) },
      detail: {
        operationId: 'getSignInBranding',
        summary: 'Get the logo of the sign-in page',
        description:
          'Returns name and logo of the organization if the server has only one and it has a ' +
          'logo. Otherwise both are `null`.',
      },
    },
  )

/** Routes to sign out. */
export const logoutRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post(
      '/logout',
      async ({ body, request, set }) => {
        const { actor } = requestFacts(request)
        const { sessionId, userId, organizationId } = actor ?? {
          sessionId: null,
          userId: null,
          organizationId: '',
        }
        const bearer =
          sessionId === null || userId === null ? null : { sessionId, userId, organizationId }
        const inCookie = cookieToken(http, request)
        await logout(http, parts, {
          refreshToken: body.refresh_token ?? inCookie,
          bearer,
          origin: originOf(request),
        })
        if (inCookie !== null) clearCookies(http, set)
        return ok({ message: 'Signed out.' })
      },
      {
        anyone: 'always succeeds and reveals nothing',
        body: LogoutRequest,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'logout',
          summary: 'Sign out',
          description:
            'Ends the session of the refresh token or Bearer token. Succeeds even if the token is ' +
            'unknown or missing.',
        },
      },
    )
    .post(
      '/logout-all',
      ({ ctx, body }) => {
        const ended = logoutAll(ctx, { keepsCurrent: body.keep_current ?? false })
        return ok({
          message: ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`,
          sessions_ended: ended,
        })
      },
      {
        can: 'session',
        body: LogoutAllRequest,
        response: { 200: Ok(LoggedOutView) },
        detail: {
          operationId: 'logoutAll',
          summary: 'Sign out everywhere',
          description:
            'Ends all sessions of the caller. Set `keep_current` to keep the current one.',
        },
      },
    )

/** Routes for socket tickets and password resets. */
export const ticketAndResetRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post('/ws-ticket', ({ ctx, status }) => status(201, ok(issueTicket(ctx))), {
      can: 'signed-in',
      response: { 201: Ok(TicketView) },
      detail: {
        operationId: 'createWebSocketTicket',
        summary: 'Create a WebSocket ticket',
        description:
          'Returns a single-use ticket for `/ws?ticket=…`, valid for 30 seconds. Use it to keep ' +
          'access tokens and API keys out of URLs and logs. Accepts a Bearer token or an API key.',
      },
    })
    .post(
      '/password/forgot',
      ({ body, request }) => {
        requestPasswordReset(http, { email: body.email, ipAddress: originOf(request).ipAddress })
        return ok({
          message: 'If an account with this email exists, a password reset link has been sent.',
        })
      },
      {
        anyone: 'reveals nothing about which accounts exist',
        refuses: ['429 too_many_failures', '503 mail_not_configured'],
        body: ForgotRequest,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'requestPasswordReset',
          summary: 'Request a password reset',
          description:
            'Emails a reset link that can be used once within an hour. The response is the same ' +
            'whether or not the email exists. Fails with 503 `mail_not_configured` if no mail ' +
            'server is set up.',
        },
      },
    )
    .post(
      '/password/reset',
      async ({ body, request }) => {
        await resetPassword(http, parts, {
          token: body.token,
          newPassword: body.new_password,
          origin: originOf(request),
        })
        return ok({ message: 'Password saved. Sign in with it.' })
      },
      {
        anyone: 'authenticates with the token from a link',
        refuses: [
          '400 reset_invalid',
          '400 password_too_common',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: ResetRequest,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'resetPassword',
          summary: 'Reset a password',
          description:
            'Sets a new password with the token from a reset link and ends all sessions of the ' +
            'account. Does not sign in. Fails with 400 `reset_invalid` if the token is unknown, ' +
            'used or expired.',
        },
      },
    )
