import { Elysia } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { PLATFORM_ERRORS } from '../platform-errors'
import { SignedUpView, SignupCode, SignupConfigView } from './model'
import { connectByCode, signupConfig } from './connect'

/** Routes to connect a number with the platform's signup dialog. */
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
      async ({ ctx, body, status }) => status(201, ok(await connectByCode(ctx, body))),
      {
        can: 'accounts:create',
        refuses: [
          '400 signup_not_configured',
          '400 signup_token_invalid',
          '400 choice_required',
          '400 business_account_unproven',
          '409 name_taken',
          '409 phone_id_in_use',
          ...PLATFORM_ERRORS,
        ],
        body: SignupCode,
        response: { 201: Ok(SignedUpView) },
        detail: {
          operationId: 'connectAccountBySignup',
          summary: 'Complete embedded signup',
          description:
            'Exchanges the code of the signup dialog for a token, connects the phone number, ' +
            'subscribes its webhooks and registers it if needed. `warnings` lists the steps that ' +
            'failed. If the token is for several phone numbers, the request fails with ' +
            '`choice_required`: `details` lists the `numbers` and has a `signup_token`. Send it ' +
            'with the chosen `phone_id`, since the code cannot be used again.',
        },
      },
    )
