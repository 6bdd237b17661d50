import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { connectByCode, signupConfig } from './connect'
import {
  CodeRequest,
  CodeRequestedView,
  NewNumber,
  SignedUpView,
  SignupCode,
  SignupConfigView,
  VerificationCode,
} from './model'
import { connectNewNumber } from './new-number'
import { requestCode, verifyNumber } from './verify'

/** Routes to connect a number with the platform's signup dialog, and to verify it. */
export const signupRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Accounts'] })
    .use(guard(http))
    .get('/embedded-signup/config', ({ ctx }) => ok(signupConfig(ctx)), {
      can: 'accounts:create',
      response: { 200: Ok(SignupConfigView) },
      detail: {
        operationId: 'getEmbeddedSignupConfig',
        summary: 'Get the signup configuration',
        description:
          'Returns what the embedded signup dialog needs. The values are `null` if the server ' +
          'has no `APP_ID` and `SIGNUP_CONFIG_ID`. Allow the page of `redirect_uri` in the ' +
          'settings of the app at the platform; the web console uses `/connect/done`.',
      },
    })
    .post(
      '/accounts/exchange-token',
      async ({ ctx, body, status }) => {
        const { isNew, view } = await connectByCode(ctx, body)
        return isNew ? status(201, ok(view)) : ok(view)
      },
      {
        can: 'accounts:create',
        refuses: [
          '400 signup_not_configured',
          '400 signup_token_invalid',
          '400 no_number',
          '400 choice_required',
          '400 business_account_unproven',
          '409 name_taken',
          '409 phone_id_in_use',
          ...PLATFORM_ERRORS,
        ],
        body: SignupCode,
        response: { 200: Ok(SignedUpView), 201: Ok(SignedUpView) },
        detail: {
          operationId: 'connectAccountBySignup',
          summary: 'Complete embedded signup',
          description:
            'Exchanges the code of the signup dialog for a token, connects the phone number, ' +
            'subscribes its webhooks and registers it if needed. `warnings` lists the steps that ' +
            'failed. A number that is not verified is connected but not registered: request a code ' +
            'and verify it. A number of the WhatsApp Business app is never registered. If the ' +
            'number is connected already, it gets the new token, and the answer is 200.\n\n' +
            'If the token is for several phone numbers, the request fails with `choice_required`: ' +
            '`details` lists the `numbers`. If it is for a business account without any, it fails ' +
            'with `no_number`: `details` has the `business_ids`. Both have a `signup_token`: send it ' +
            'in place of the code, since the code cannot be used again.',
        },
      },
    )
    .post(
      '/accounts/new-number',
      async ({ ctx, body, status }) => status(201, ok(await connectNewNumber(ctx, body))),
      {
        can: 'accounts:create',
        refuses: [
          '400 signup_not_configured',
          '400 signup_token_invalid',
          '400 business_account_unproven',
          '409 name_taken',
          '409 phone_id_in_use',
          ...PLATFORM_ERRORS,
        ],
        body: NewNumber,
        response: { 201: Ok(SignedUpView) },
        detail: {
          operationId: 'addPhoneNumber',
          summary: 'Add a phone number to a business account',
          description:
            'Adds a phone number to a business account that embedded signup left without one, and ' +
            'connects it. It is not verified yet: request a code next.',
        },
      },
    )
    .post(
      '/accounts/:id/request-code',
      async ({ ctx, params, body }) => {
        await requestCode(ctx, params.id, body)
        return ok({ requested: true })
      },
      {
        can: 'accounts:update',
        refuses: ['400 code_not_sent', '409 already_verified', '503 platform_unreachable'],
        params: IdParam,
        body: CodeRequest,
        response: { 200: Ok(CodeRequestedView) },
        detail: {
          operationId: 'requestVerificationCode',
          summary: 'Request a code to verify a phone number',
          description:
            'The platform sends a code to the phone number, by SMS or by a call. Needed for a number ' +
            'whose `code_verification_status` is not `VERIFIED`.',
        },
      },
    )
    .post(
      '/accounts/:id/verify-code',
      async ({ ctx, params, body }) => ok(await verifyNumber(ctx, params.id, body)),
      {
        can: 'accounts:update',
        refuses: ['400 code_rejected', '503 platform_unreachable'],
        params: IdParam,
        body: VerificationCode,
        response: { 200: Ok(SignedUpView) },
        detail: {
          operationId: 'verifyPhoneNumber',
          summary: 'Verify a phone number',
          description:
            'Verifies the phone number with the code that was sent to it, and registers it. ' +
            '`warnings` lists the steps that failed.',
        },
      },
    )
