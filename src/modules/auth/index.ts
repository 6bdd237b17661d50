import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok, Said } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http'
import { originOf, requestFacts } from '../../http/requests'
import { Credentials, LoginView, LogoutRequest, MeView, RefreshRequest, TokensView } from './model'
import { getMe, login, logout, refresh, type AuthParts } from './service'

/** Signing in and out (spec 4.1). */
export const authRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post('/login', async ({ body, request }) => ok(await login(http, parts, { ...body, ...originOf(request) })), {
      anyone: 'proves itself with a password',
      body: Credentials,
      response: { 200: Ok(LoginView) },
      detail: {
        summary: 'Sign in',
        description: 'Ten failures within 15 minutes close the account for as long, thirty close the address.',
      },
    })
    .post('/refresh', async ({ body }) => ok(await refresh(http, parts, body.refresh_token)), {
      anyone: 'proves itself with a refresh token',
      body: RefreshRequest,
      response: { 200: Ok(TokensView) },
      detail: {
        summary: 'Exchange a refresh token for a new pair',
        description:
          'A refresh token works once. Using it again ends the session, except within ten seconds while its successor is unused: then the same successor is answered.',
      },
    })
    .post(
      '/logout',
      async ({ body, request }) => {
        await logout(http, parts, { refreshToken: body?.refresh_token ?? null, sessionId: requestFacts(request).actor?.sessionId ?? null })
        return ok({ message: 'Signed out.' })
      },
      {
        anyone: 'never fails',
        body: Type.Union([LogoutRequest, Type.Null()]),
        response: { 200: Ok(Said) },
        detail: {
          summary: 'Sign out',
          description: 'Ends the session of the refresh token or of the Bearer token; unknown and missing ones are no error.',
        },
      },
    )

/** The caller itself. */
export const meRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] }).use(guard(http)).get('', ({ ctx }) => ok(getMe(ctx)), {
    self: 'signed-in',
    response: { 200: Ok(MeView) },
    detail: { summary: 'Who am I', description: 'The caller with the present organization, role and permissions.' },
  })
