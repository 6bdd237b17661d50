import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { okText } from '../../../../http/read-answer'
import { resumeAccount, testAccount } from '../health-check'
import { AccountView } from '../model'
import { PLATFORM_ERRORS } from '../platform-errors'
import { ReadAccountHealth } from '../readers'
import { registerAccount } from '../register'
import { HealthView, RegisteredView, RegistrationInput, TestView } from './model'

/** Routes to test, register, check and resume a number. */
export const connectionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .post('/:id/test', async ({ ctx, params }) => ok(await testAccount(ctx, params.id)), {
      can: 'accounts:update',
      refuses: PLATFORM_ERRORS,
      params: IdParam,
      response: { 200: Ok(TestView) },
      detail: {
        operationId: 'testAccount',
        summary: 'Test a phone number',
        description:
          'Checks the phone number with the platform and stores the result. A pending or ' +
          'disconnected number becomes active if it works. Otherwise returns 200 with ' +
          '`connected: false` and an error code such as `number_not_readable`.',
      },
    })
    .post(
      '/:id/register',
      async ({ ctx, params, body }) => {
        await registerAccount(ctx, params.id, body)
        return ok({ registered: true })
      },
      {
        can: 'accounts:update',
        refuses: ['409 on_phone_app', '429 too_many_registrations', ...PLATFORM_ERRORS],
        params: IdParam,
        body: RegistrationInput,
        response: { 200: Ok(RegisteredView) },
        detail: {
          operationId: 'registerAccount',
          summary: 'Register a phone number',
          description:
            'Required once for a new number, and again after it was moved. The platform allows ten ' +
            'registrations in 72 hours. `data_localization_region` is set before the registration; ' +
            'if the platform rejects it, the number is not registered.',
        },
      },
    )
    .post('/:id/resume', async ({ ctx, params }) => ok(await resumeAccount(ctx, params.id)), {
      can: 'accounts:update',
      refuses: ['400 still_failing', ...PLATFORM_ERRORS],
      params: IdParam,
      response: { 200: Ok(AccountView) },
      detail: {
        operationId: 'resumeAccount',
        summary: 'Resume a phone number',
        description:
          'Tests the phone number and, if it works, sends the held messages. If the payment method ' +
          'was missing, it counts as added: `funding` becomes `unknown` until WhatsApp says more. ' +
          'Fails with 400 `still_failing` otherwise.',
      },
    })
    .get(
      '/:id/health',
      async ({ ctx, params }) => okText(await ctx.reads.text(ReadAccountHealth, ctx, params.id)),
      {
        can: 'accounts:read',
        params: IdParam,
        response: { 200: Ok(HealthView) },
        detail: {
          operationId: 'getAccountHealth',
          summary: 'Get the health of a phone number',
          description:
            'What works now and what does not: last messages in and out, the queue, failures, quality, limits and costs of the month.',
        },
      },
    )
