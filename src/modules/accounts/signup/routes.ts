import { Elysia } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { PLATFORM_ERRORS } from '../platform-errors'
import { SignedUpView, SignupCode, SignupConfigView } from './model'
import { connectByCode, signupConfig } from './connect'

/** Connecting a number with the platform's own dialog. */
export const signupRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Accounts'] })
    .use(guard(http))
    .get('/embedded-signup/config', ({ ctx }) => ok(signupConfig(ctx)), {
      can: 'accounts:create',
      response: { 200: Ok(SignupConfigView) },
      detail: {
        operationId: 'getEmbeddedSignupConfig',
        summary: 'What the signup dialog needs',
        description: 'Nulls when the server has no APP_ID and SIGNUP_CONFIG_ID.',
      },
    })
    .post(
      '/accounts/exchange-token',
      async ({ ctx, body, status }) => status(201, ok(await connectByCode(ctx, body))),
      {
        can: 'accounts:create',
        refuses: [
          '400 signup_not_configured',
          '400 business_account_unproven',
          '409 name_taken',
          '409 phone_id_in_use',
          ...PLATFORM_ERRORS,
        ],
        body: SignupCode,
        response: { 201: Ok(SignedUpView) },
        detail: {
          operationId: 'connectAccountBySignup',
          summary: 'Connect a phone number with the code of the signup dialog',
          description:
            'Trades the code for a token, connects the number, subscribes it and registers it where needed; what did not work yet is told in `warnings`.',
        },
      },
    )
