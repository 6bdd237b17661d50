import { Elysia } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { ResetLinkView } from '../../auth/model'
import {
  endTokensOfPerson,
  issueResetLink,
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
