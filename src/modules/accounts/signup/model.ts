import { Type, type Static } from '@sinclair/typebox'

import { patternText, nameText } from '../../../lib/fields'
import { AccountView } from '../model'

const digits = (description: string) =>
  patternText('^\\d{1,32}$', 'must be 1 to 32 digits', { description })

/** Result of the platform's signup dialog. */
export const SignupCode = Type.Object(
  {
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'Code from the signup dialog. Can be used once, within 30 seconds. Required without ' +
          '`signup_token`.',
      }),
    ),
    redirect_uri: Type.Optional(
      patternText('^https?://\\S{1,2000}$', 'must be an http or https address', {
        description:
          'Address that the signup dialog was opened with as `redirect_uri`. Omit it if the ' +
          "platform's script opened the dialog.",
      }),
    ),
    signup_token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description:
          '`signup_token` of the error `choice_required`, in place of `code`. Valid for 10 ' +
          'minutes, for the person who got it.',
      }),
    ),
    phone_id: Type.Optional(
      digits(
        '`phone_number_id` from the signup dialog. Optional if the token is for one phone ' +
          'number.',
      ),
    ),
    business_id: Type.Optional(
      digits(
        '`waba_id` from the signup dialog. Optional if the token is for one business account.',
      ),
    ),
    name: Type.Optional(
      nameText(100, { description: 'Name of the phone number. Defaults to its verified name.' }),
    ),
  },
  {
    title: 'SignupCode',
    examples: [
      {
        code: 'AQBhlXsctMxJYb',
        phone_id: '301000000000001',
        business_id: '201000000000001',
        name: 'Support',
      },
    ],
  },
)
export type SignupCode = Static<typeof SignupCode>

/** The connected number, and warnings about failed steps. */
export const SignedUpView = Type.Object(
  { account: AccountView, warnings: Type.Array(Type.String()) },
  { title: 'SignedUpAccount' },
)
export type SignedUpView = Static<typeof SignedUpView>

/** Parameters of the signup dialog, all null if signup is not configured. */
export const SignupConfigView = Type.Object(
  {
    app_id: Type.Union([Type.String(), Type.Null()]),
    config_id: Type.Union([Type.String(), Type.Null()]),
    api_version: Type.Union([Type.String(), Type.Null()]),
    dialog_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'Address of the signup dialog. Add `redirect_uri`, a page that gets the code, and `state`, ' +
        'a random text that the page gets back.',
    }),
  },
  { title: 'EmbeddedSignupConfig' },
)
export type SignupConfigView = Static<typeof SignupConfigView>
