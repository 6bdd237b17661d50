import { Type, type Static } from '@sinclair/typebox'

/** Why a call gave no answer. */
const FAILURE_KINDS = [
  'timeout',
  'unreachable',
  'refused_address',
  'too_large',
  'malformed',
  'auth',
  'rate_limited',
  'rejected',
  'server_error',
] as const

/** A call that gave no answer. The message names neither the key nor anything of the prompt. */
export interface ProviderFailure {
  kind: (typeof FAILURE_KINDS)[number]
  /** HTTP status of the provider, `null` without a response. */
  status: number | null
  message: string
}

const Uuid = Type.String({ format: 'uuid' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const integerOrNull = Type.Union([Type.Integer(), Type.Null()])

/** A message for the test of the AI settings. */
export const AiTest = Type.Object(
  {
    message: Type.String({ minLength: 1, maxLength: 4_096 }),
    account_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description: 'Uses the settings and contexts of this phone number.',
      }),
    ),
  },
  { title: 'AiTest', examples: [{ message: 'When are you open?' }] },
)
export type AiTest = Static<typeof AiTest>

/** The result of a test of the AI settings. */
export const AiTestResult = Type.Object(
  {
    success: Type.Boolean({ description: '`false` if the provider gave no answer.' }),
    outcome: Type.String({
      enum: ['answer', 'handover', 'off_topic', 'empty', 'failed'],
      description:
        '`handover`: a customer would be handed to a person. `off_topic`: the message has nothing ' +
        'to do with the purpose.',
    }),
    answer: Type.Union([Type.String(), Type.Null()], {
      description: 'The text that a customer would get, with the disclosure of a first answer.',
    }),
    provider: Type.String({ enum: ['openai', 'anthropic', 'google'] }),
    model: Type.String(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost_usd: Type.Union([Type.Number(), Type.Null()]),
    duration_ms: Type.Integer(),
    error: Type.Union([
      Type.Object({
        kind: Type.String({ enum: [...FAILURE_KINDS] }),
        status: integerOrNull,
        message: Type.String(),
      }),
      Type.Null(),
    ]),
  },
  { title: 'AiTestResult' },
)
export type AiTestResult = Static<typeof AiTestResult>

/** One page for an auditor: what the AI is for, where data goes, and how to reach a person. */
export const AiCompliance = Type.Object(
  {
    generated_at: Type.String({ format: 'date-time' }),
    organization: Type.Object({ id: Uuid, name: Type.String() }),
    numbers: Type.Array(
      Type.Object({
        account_id: Type.Union([Uuid, Type.Null()], {
          description: '`null`: the settings of the organization.',
        }),
        name: textOrNull,
        enabled: Type.Boolean(),
        purpose: textOrNull,
        system_prompt: textOrNull,
        disclosure: Type.String({ enum: ['always', 'first_in_session', 'off'] }),
        disclosure_texts: Type.Record(Type.String(), Type.String(), {
          description: 'By language. English is used for all others.',
        }),
        provider: textOrNull,
        model: textOrNull,
        data_destination: Type.Union([Type.String(), Type.Null()], {
          description: 'The address that conversations are sent to.',
        }),
        data_sent: Type.Array(Type.String()),
        history_messages: Type.Integer({
          description: 'Earlier messages sent with each question.',
        }),
        data_terms: Type.Object({
          confirmed: Type.Boolean(),
          at: textOrNull,
          by: textOrNull,
        }),
        no_store_requested: Type.Boolean({
          description: 'Whether each request asks the provider not to store it.',
        }),
        ways_to_a_person: Type.Object({
          transfer_keywords: Type.Array(Type.String()),
          person_words_languages: Type.Array(Type.String(), {
            description: 'Languages in which our words for a person are heard too.',
          }),
          fallback_transfer_after: integerOrNull,
          ai_handover: Type.Boolean(),
        }),
      }),
      { description: 'The organization, then each number whose settings differ.' },
    ),
    article_50: Type.Array(
      Type.Object({
        paragraph: Type.Integer(),
        applies_from: Type.String({ format: 'date' }),
        duty: Type.String(),
        here: Type.String({ description: 'How it is met, and what it leaves to the operator.' }),
      }),
      { description: 'How this server reads article 50 of the AI Act of the European Union.' },
    ),
    api_contexts: Type.Array(Type.Object({ id: Uuid, name: Type.String(), host: Type.String() }), {
      description: 'Servers that provide knowledge. They receive no data about customers.',
    }),
    retention: Type.Object({
      messages_days: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Days for which messages and usage rows are kept. `null`: without limit.',
      }),
      usage_rows_hold: Type.String(),
    }),
    last_30_days: Type.Object({
      requests: Type.Integer(),
      handovers: Type.Integer({ description: 'Answers in which the AI asked for a person.' }),
    }),
  },
  { title: 'AiCompliance' },
)
export type AiCompliance = Static<typeof AiCompliance>
