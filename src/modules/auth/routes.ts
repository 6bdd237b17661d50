import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import {
  clearCookie,
  cookieToken,
  setRefreshCookie,
  requireRefreshToken,
} from '../../http/refresh-cookie'
import { originOf, requestFacts } from '../../http/request-facts'
import { requestPasswordReset, resetPassword } from './password-reset/request'
import { refresh, switchOrganization, type AuthParts } from './issue-tokens'
import {
  Credentials,
  ForgotRequest,
  LoggedOutView,
  LoginView,
  LogoutAllRequest,
  LogoutRequest,
  RefreshRequest,
  ResetRequest,
  SwitchedView,
  SwitchRequest,
  TicketView,
  TokensView,
} from './model'
import { login, logout, logoutAll } from './sign-in'
import { issueTicket } from './tickets'

/** Why nobody is signed in. */
const LOGIN_REFUSALS = [
  '401 invalid_credentials',
  '401 two_factor_required',
  '401 two_factor_invalid',
  '401 account_disabled',
  '401 no_membership',
  '429 too_many_failures',
  '503 unavailable',
] as const

/** Why a refresh token is not taken. */
const REFRESH_REFUSALS = [
  '401 invalid_token',
  '401 token_expired',
  '401 token_reused',
  '401 session_ended',
  '401 membership_ended',
  '401 account_disabled',
] as const

/** Signing in and out (spec 4.1). */
export const authRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post(
      '/login',
      async ({ body, request, set }) => {
        const { use_cookie: usesCookie, ...credentials } = body
        return ok(
          setRefreshCookie(
            http,
            set,
            await login(http, parts, { ...credentials, ...originOf(request) }),
            usesCookie,
          ),
        )
      },
      {
        anyone: 'proves itself with a password',
        refuses: LOGIN_REFUSALS,
        body: Credentials,
        response: { 200: Ok(LoginView) },
        detail: {
          operationId: 'login',
          summary: 'Sign in',
          description:
            'After ten failures within 15 minutes for one account from one address, thirty from one address, or a hundred for one account, further attempts answer 429 `too_many_failures` until the failures are 15 minutes old. Addresses that signed in to the account within the last 30 days are not affected by failures from other addresses. Where the second factor is on, the answer without `code` is 401 `two_factor_required`: repeat the request with it.',
        },
      },
    )
    .post(
      '/refresh',
      async ({ body, request, set }) => {
        const token = requireRefreshToken(http, request, body.refresh_token)
        return ok(
          setRefreshCookie(
            http,
            set,
            await refresh(http, parts, token, originOf(request)),
            body.use_cookie,
          ),
        )
      },
      {
        anyone: 'proves itself with a refresh token',
        refuses: REFRESH_REFUSALS,
        body: RefreshRequest,
        response: { 200: Ok(TokensView) },
        detail: {
          operationId: 'refreshToken',
          summary: 'Exchange a refresh token for a new pair',
          description:
            'In the organization of the token. A refresh token works once. Using it again ends the session, except within ten seconds while its successor is unused: then the same successor is answered.',
        },
      },
    )
    .post(
      '/switch-org',
      async ({ ctx, body, set }) =>
        ok(
          setRefreshCookie(
            http,
            set,
            await switchOrganization(ctx, parts, body.organization_id),
            body.use_cookie,
          ),
        ),
      {
        self: 'session',
        refuses: ['403 not_a_member'],
        body: SwitchRequest,
        response: { 200: Ok(SwitchedView) },
        detail: {
          operationId: 'switchOrganization',
          summary: 'Go on in another organization',
          description:
            'Answers tokens for it, with the role and permissions there; refreshing them stays there. The tokens of the former organization live on. 403 `not_a_member`.',
        },
      },
    )

/** Signing out. */
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
          refreshToken: body?.refresh_token ?? inCookie,
          bearer,
          origin: originOf(request),
        })
        if (inCookie !== null) clearCookie(http, set)
        return ok({ message: 'Signed out.' })
      },
      {
        anyone: 'never fails',
        body: Type.Union([LogoutRequest, Type.Null()]),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'logout',
          summary: 'Sign out',
          description:
            'Ends the session of the refresh token or of the Bearer token; unknown and missing ones are no error.',
        },
      },
    )
    .post(
      '/logout-all',
      ({ ctx, body }) => {
        const ended = logoutAll(ctx, { keepsCurrent: body?.keep_current ?? false })
        return ok({
          message: ended === 1 ? 'One sign-in has ended.' : `${ended} sign-ins have ended.`,
          sessions_ended: ended,
        })
      },
      {
        self: 'session',
        body: Type.Union([LogoutAllRequest, Type.Null()]),
        response: { 200: Ok(LoggedOutView) },
        detail: {
          operationId: 'logoutAll',
          summary: 'Sign out everywhere',
          description: 'Ends all sign-ins of the caller, with `keep_current` all but this one.',
        },
      },
    )

/** What opens a socket, and the way back in for those who forgot the password. */
export const ticketAndResetRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post('/ws-ticket', ({ ctx, status }) => status(201, ok(issueTicket(ctx))), {
      self: 'signed-in',
      response: { 201: Ok(TicketView) },
      detail: {
        operationId: 'createWebSocketTicket',
        summary: 'Create a ticket for the socket',
        description:
          'Opens one socket as `/ws?ticket=…` within 30 seconds, so that no token or key is part of an address. Works with a Bearer token and with an API key.',
      },
    })
    .post(
      '/password/forgot',
      ({ body, request }) => {
        requestPasswordReset(http, { email: body.email, ipAddress: originOf(request).ipAddress })
        return ok({
          message:
            'If there is an account with this e-mail, a link for choosing a new password is on its way.',
        })
      },
      {
        anyone: 'tells nothing of who exists',
        refuses: ['429 too_many_failures', '503 mail_not_configured'],
        body: ForgotRequest,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'requestPasswordReset',
          summary: 'Ask for a link to choose a new password',
          description:
            'The same answer for every e-mail; the link works once, for an hour. 503 `mail_not_configured` without a mail server.',
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
        return ok({ message: 'The password is set. Sign in with it.' })
      },
      {
        anyone: 'proves itself with the token of a link',
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
          summary: 'Choose a new password by a link',
          description:
            'Nobody is signed in; all sign-ins of the account end. 400 `reset_invalid` for an unknown, used or expired token.',
        },
      },
    )
