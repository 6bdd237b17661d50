import { Elysia } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { ResetLinkView } from '../../auth/model'
import {
  endTokensOfPerson,
  issueResetLink,
  resetSecondFactor,
} from '../../auth/admin-access/service'

const WHO_MAY =
  'Needs more permissions than the person holds, in the home organization of the account, as long as the person has accepted no membership elsewhere (403 `account_managed_elsewhere`, `escalation`). A membership is accepted by joining, or by switching to the organization after being added; being added alone, and founding an organization less than 30 days ago, do not count. Super admins may always.'

/** What those who manage people do about their sign-ins. */
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
          summary: 'Make a link for a new password',
          description: `Shown once, to hand over; works for 24 hours; mailed too when a mail server is set. ${WHO_MAY}`,
        },
      },
    )
    .post(
      '/2fa/reset',
      ({ ctx, params }) => {
        resetSecondFactor(ctx, params.id)
        return ok({ message: 'The second factor is switched off.' })
      },
      {
        can: 'users:update',
        refuses: ['400 own_record', '403 escalation', '403 account_managed_elsewhere'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'resetUserTwoFactor',
          summary: 'Switch off the second factor of a person',
          description: `The person's sign-ins end. ${WHO_MAY}`,
        },
      },
    )
    .delete(
      '/sessions',
      ({ ctx, params }) => {
        endTokensOfPerson(ctx, params.id)
        return ok({ message: 'The person must sign in again here.' })
      },
      {
        can: 'users:update',
        refuses: ['403 escalation'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteUserSessions',
          summary: "End a person's tokens of this organization",
          description:
            'Access tokens, refresh tokens and sockets of this organization; other organizations of the person are left alone.',
        },
      },
    )
