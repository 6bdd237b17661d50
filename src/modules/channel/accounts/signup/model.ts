import { Type, type Static } from '@sinclair/typebox'

import { oneOf, patternText, nameText } from '../../../../lib/fields'
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
          '`signup_token` of the errors `choice_required` and `no_number`, in place of `code`. ' +
          'Valid for an hour, for the person who got it.',
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

/** A phone number to add to a business account that has none. */
export const NewNumber = Type.Object(
  {
    signup_token: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: '`signup_token` of the error `no_number`.',
    }),
    business_id: digits('One of the `business_ids` of the error `no_number`.'),
    phone_number: Type.String({
      minLength: 5,
      maxLength: 40,
      description:
        'Phone number with its country code. It must be able to receive an SMS or a call, and must ' +
        'not be in use in WhatsApp.',
    }),
    verified_name: nameText(128, {
      description: 'Name that customers see. The platform reviews it.',
    }),
    name: Type.Optional(
      nameText(100, { description: 'Name of the phone number. Defaults to its verified name.' }),
    ),
  },
  {
    title: 'PhoneNumberInput',
    examples: [
      {
        signup_token: 'v1.…',
        business_id: '201000000000001',
        phone_number: '+49 30 901820',
        verified_name: 'Corner Bakery',
      },
    ],
  },
)
export type NewNumber = Static<typeof NewNumber>

/** How the platform sends the code that verifies a number. */
export const CodeRequest = Type.Object(
  {
    method: Type.Optional(oneOf(['sms', 'voice'], { description: 'Defaults to `sms`.' })),
    language: Type.Optional(
      patternText('^[a-z]{2,3}(?:_[A-Z]{2})?$', 'must be a language such as en_US', {
        description: 'Language of the SMS or the call. Defaults to `en_US`.',
      }),
    ),
  },
  { title: 'VerificationCodeRequest', examples: [{ method: 'sms', language: 'en_US' }] },
)
export type CodeRequest = Static<typeof CodeRequest>

/** Confirms that a code is on its way. */
export const CodeRequestedView = Type.Object(
  { requested: Type.Boolean() },
  { title: 'VerificationCodeRequested' },
)

/** The code that the platform sent to a number. */
export const VerificationCode = Type.Object(
  { code: patternText('^\\d{6}$', 'must be 6 digits') },
  { title: 'VerificationCode', examples: [{ code: '135790' }] },
)
export type VerificationCode = Static<typeof VerificationCode>

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
    phone_app_dialog_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'The same for a number that stays in the WhatsApp Business app of a phone as well ' +
        '(coexistence).',
    }),
  },
  { title: 'EmbeddedSignupConfig' },
)
export type SignupConfigView = Static<typeof SignupConfigView>
