import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { SessionView } from '../../auth/me/model'
import { ResetLinkView } from '../../auth/model'
import {
  endSessionOfPerson,
  endTokensOfPerson,
  issueResetLink,
  listSessionsOfPerson,
  resetSecondFactor,
} from '../../auth/admin-access/service'

const WHO_MAY =
  'The caller needs more permissions than the user has, in the home organization of the ' +
  'account, and the user must not have accepted a membership elsewhere (403 ' +
  '`account_managed_elsewhere`, `escalation`). A membership is accepted by joining, or ' +
  'by switching to the organization after being added. Being added alone does not count, ' +
  'nor does founding an organization within the last 30 days. Super admins are always ' +
  'allowed.'

/** Routes with which administrators manage the sign-ins of users. */
export const managedAccessRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/users/:id', tags: ['Users'] })
    .use(guard(http))
    .post(
      '/password-reset',
      ({ ctx, params, status }) => status(201, ok(issueResetLink(ctx, params.id))),
      {
        can: 'users:update',
        refuses: ['400 own_record', '403 escalation', '403 account_managed_elsewhere'],
        params: IdParam,
        response: { 201: Ok(ResetLinkView) },
        detail: {
          operationId: 'createUserPasswordReset',
          summary: 'Create a password reset link',
          description:
            'Returns a link that is shown only once and works for 24 hours, and emails it if a ' +
            `mail server is set up. ${WHO_MAY}`,
        },
      },
    )
    .post(
      '/2fa/reset',
      ({ ctx, params }) => {
        resetSecondFactor(ctx, params.id)
        return ok({ message: 'Two-factor authentication is disabled.' })
      },
      {
        can: 'users:update',
        refuses: ['400 own_record', '403 escalation', '403 account_managed_elsewhere'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'resetUserTwoFactor',
          summary: 'Disable two-factor authentication of a user',
          description: `Ends all sessions of the user. ${WHO_MAY}`,
        },
      },
    )
    .get(
      '/sessions',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(listSessionsOfPerson(ctx, params.id, { page, limit })),
      {
        can: 'users:update',
        refuses: ['403 escalation'],
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(SessionView)) },
        detail: {
          operationId: 'listUserSessions',
          summary: 'List the sessions of a user',
          description:
            'Lists active sessions that were last used in this organization, last used first.',
        },
      },
    )
    .delete(
      '/sessions/:session_id',
      ({ ctx, params }) => {
        endSessionOfPerson(ctx, params.id, params.session_id)
        return ok({ message: 'The session has ended.' })
      },
      {
        can: 'users:update',
        refuses: ['403 escalation', '403 account_managed_elsewhere'],
        params: t.Object({
          id: t.String({ format: 'uuid' }),
          session_id: t.String({ format: 'uuid' }),
        }),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteUserSession',
          summary: 'End one session of a user',
          description: `Its tokens stop working with the next request. ${WHO_MAY}`,
        },
      },
    )
    .delete(
      '/sessions',
      ({ ctx, params }) => {
        endTokensOfPerson(ctx, params.id)
        return ok({ message: 'The user must sign in to this organization again.' })
      },
      {
        can: 'users:update',
        refuses: ['403 escalation'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteUserSessions',
          summary: "Revoke a user's tokens",
          description:
            'Revokes access tokens, refresh tokens and WebSocket connections of the user in this ' +
            'organization. Other organizations are not affected.',
        },
      },
    )
