import { Type, type Static } from '@sinclair/typebox'

import { patternText } from '../../../../lib/fields'
import { CAN_SEND } from '../../../../platform/client/can-send'
import { AccountStatus, FundingView, LastError } from '../model'

const Time = Type.String({ format: 'date-time' })
const word = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])
const yesOrNo = Type.Union([Type.Boolean(), Type.Null()])

/** A value from a list of the platform's terms, or null. */
const oneWord = (words: string[]) => Type.Union([Type.String({ enum: words }), Type.Null()])

/** Result of a connection test. If `connected` is false, `error` has the reason. */
export const TestView = Type.Object(
  {
    connected: Type.Boolean({
      description: 'Whether the token can read the phone number.',
    }),
    phone_number: word('E.164 digits.'),
    display_phone_number: word(),
    verified_name: word(),
    quality_rating: oneWord(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']),
    messaging_limit_tier: word(),
    code_verification_status: oneWord(['VERIFIED', 'NOT_VERIFIED', 'EXPIRED']),
    account_mode: oneWord(['LIVE', 'SANDBOX']),
    is_test_number: yesOrNo,
    token: Type.Union([
      Type.Object({
        valid: Type.Boolean(),
        expires_at: Type.Union([Time, Type.Null()]),
        scopes: Type.Array(Type.String()),
      }),
      Type.Null(),
    ]),
    can_send: oneWord([...CAN_SEND]),
    subscribed: yesOrNo,
    warnings: Type.Array(Type.String({ description: 'Problems that need your attention.' })),
    error: Type.Union([
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        platform_code: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  },
  { title: 'AccountTest' },
)
export type TestView = Static<typeof TestView>

/** The PIN to register a number with. */
export const RegistrationInput = Type.Object(
  {
    pin: Type.Optional(
      patternText('^\\d{6}$', 'must be 6 digits', {
        description:
          'PIN of the two-step verification. Defaults to the stored PIN, otherwise a new one is ' +
          'created.',
      }),
    ),
    data_localization_region: Type.Optional(
      patternText('^[A-Z]{2}$', 'must be a country code such as DE', {
        description:
          'Country (ISO 3166-1 alpha-2) in which the platform stores the content of messages. The ' +
          'platform accepts a change only while the number is not registered. Omitted: unchanged.',
      }),
    ),
  },
  { title: 'AccountRegistration', examples: [{ pin: '271828' }] },
)

export type NumberRegistration = Static<typeof RegistrationInput>

/** Confirms that a number is registered. */
export const RegisteredView = Type.Object(
  { registered: Type.Boolean() },
  { title: 'RegistrationState' },
)

/** Cost of the messages of a month. */
export const CostMonth = Type.Object(
  {
    amount: Type.String({ description: 'Decimal number, with the estimates.' }),
    estimated_amount: Type.String({
      description: 'Part of the amount that the platform has not settled yet.',
    }),
    currency: Type.String(),
    is_estimate: Type.Boolean({ description: 'Whether any message is not settled yet.' }),
    unpriced_messages: Type.Integer({
      description: 'Messages without a known price, which the amount leaves out.',
    }),
  },
  { title: 'CostMonth' },
)
export type CostMonth = Static<typeof CostMonth>

/** Health of a number. */
export const HealthView = Type.Object(
  {
    status: AccountStatus,
    last_error: LastError,
    last_inbound_at: Type.Union([Time, Type.Null()]),
    last_send_ok_at: Type.Union([Time, Type.Null()]),
    queue_depth: Type.Integer({
      description: 'Messages waiting to be submitted, or submitted without a response yet.',
    }),
    oldest_pending_at: Type.Union([Time, Type.Null()]),
    unrouted_24h: Type.Integer({
      description: 'Webhook deliveries for this number that arrived before it was connected.',
    }),
    failed_rate_1h: Type.Number({
      description: 'Share of the messages in the last hour that failed, 0 to 1.',
    }),
    quality_history: Type.Array(
      Type.Object({
        at: Time,
        from: Type.Union([Type.String(), Type.Null()]),
        to: Type.Union([Type.String(), Type.Null()]),
      }),
      { description: 'Most recent first.' },
    ),
    limits: Type.Object({
      tier: Type.Union([Type.String(), Type.Null()]),
      used_24h: Type.Integer({
        description:
          'Customers outside the 24-hour window to whom phone numbers of the business ' +
          'portfolio sent messages.',
      }),
    }),
    billing_timezone: Type.String({
      description:
        'Time zone by whose months the platform bills: that of the business account, or the ' +
        'organization’s while the platform has not reported it.',
      examples: ['America/Los_Angeles'],
    }),
    funding: FundingView,
    service_allowance: Type.Union(
      [
        Type.Object({
          free: Type.Integer({ description: 'Free service messages per month.' }),
          used: Type.Integer({ description: 'Those delivered this month.' }),
          resets_at: Time,
          held: Type.Boolean({
            description:
              'Whether messages without a template wait, because the payment method is missing and ' +
              'the free ones are used up, or WhatsApp refused one this month.',
          }),
        }),
        Type.Null(),
      ],
      {
        description:
          'Free messages other than templates. Months are those of `billing_timezone`. ' +
          '`null` = none are free: before October 2026, or as the price list states.',
      },
    ),
    cost_month: Type.Union([CostMonth, Type.Null()], {
      description: 'Cost of the messages sent this month. `null` = none, or no price is known.',
    }),
    unknown_fields: Type.Array(
      Type.Object({
        field: Type.String(),
        count_24h: Type.Integer({ description: 'Webhook changes in the last 24 hours.' }),
        last_at: Time,
      }),
      {
        description:
          'Webhook fields that the platform sends and this server does not process, most recent ' +
          'first. The changes stay in the journal and can be replayed after an update.',
      },
    ),
  },
  { title: 'AccountHealth' },
)
export type HealthView = Static<typeof HealthView>
