import { Type, type SchemaOptions, type Static, type TSchema } from '@sinclair/typebox'

import { checkedText, freeObject, lineText, oneOf, writtenText } from '../../../lib/fields'
import { NewButton } from '../chatbot/keywords/table'
import { DEFAULTS, WORDS_LANGUAGES } from './catalog'
import { HolidaysView, HoursView, NewHolidays, NewHours } from './hours/model'

/** Returns the description of a field with its default. */
function about(field: keyof typeof DEFAULTS, text = ''): SchemaOptions {
  const value = `Defaults to \`${JSON.stringify(DEFAULTS[field])}\`.`
  return { description: text === '' ? value : `${text} ${value}` }
}

type Field = keyof typeof DEFAULTS
const orNull = <S extends TSchema>(schema: S, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

const flag = (field: Field, text?: string) => Type.Boolean(about(field, text))
const whole = (field: Field, [minimum, maximum]: [number, number], text?: string) =>
  Type.Integer({ minimum, maximum, ...about(field, text) })
const wholeOrNull = (field: Field, [minimum, maximum]: [number, number], text?: string) =>
  orNull(Type.Integer({ minimum, maximum }), about(field, text))
const amount = (field: Field, text?: string) =>
  orNull(Type.Number({ minimum: 0, maximum: 1_000_000_000 }), about(field, text))

/** A text that is sent or shown: not blank. */
const written = (maxLength: number, minLength = 1) => writtenText(maxLength, { minLength })
const textOrNull = (field: Field, maxLength = 1_024, text?: string) =>
  orNull(written(maxLength), about(field, text))

/** A period of up to a week, minutes. */
const WEEK: [number, number] = [1, 10_080]

/** Settings that have the same form in requests and in responses. */
const plain = {
  chatbot_enabled: flag('chatbot_enabled', 'Whether the chatbot answers.'),
  disabled_action: oneOf(
    ['none', 'transfer'],
    about('disabled_action', 'What an incoming message does while the chatbot is disabled.'),
  ),
  greeting_message: textOrNull('greeting_message', 1_024, 'First text of a session.'),
  greeting_every_hours: whole(
    'greeting_every_hours',
    [0, 720],
    'A contact that was greeted, or that finished a bot flow, is not greeted for this time. ' +
      '0 = in each session.',
  ),
  fallback_message: textOrNull(
    'fallback_message',
    1_024,
    'Sent if nothing else answers. Without it the conversation is left to people at once.',
  ),
  fallback_on_media: flag('fallback_on_media', 'Whether messages without text get the fallback.'),
  fallback_transfer_after: wholeOrNull(
    'fallback_transfer_after',
    [1, 20],
    'The contact is transferred to a person with this number of turns in a row that nothing ' +
      'answered, also without a `fallback_message`. `null` = never.',
  ),
  transfer_keywords: Type.Array(lineText(64), {
    maxItems: 50,
    ...about(
      'transfer_keywords',
      'Whole words that ask for a person, anywhere in a message, beside ours.',
    ),
  }),
  person_words_languages: orNull(
    Type.Array(oneOf(WORDS_LANGUAGES), { maxItems: WORDS_LANGUAGES.length, uniqueItems: true }),
    about(
      'person_words_languages',
      'The languages in which our own words for a person, and to cancel a bot flow, are heard. ' +
        '`null` = all of them, `[]` = none.',
    ),
  ),
  transfer_message: textOrNull(
    'transfer_message',
    1_024,
    'Sent when the bot hands the customer to a person, unless a rule or node has its own text. ' +
      '`null` = our text in the language of the customer, else of the organization.',
  ),
  transfer_message_closed: textOrNull(
    'transfer_message_closed',
    1_024,
    'Sent in its place outside business hours. ' +
      '`{{ opens_at }}` is the next opening. `null` = our text, as above.',
  ),
  session_timeout_minutes: whole('session_timeout_minutes', [1, 1_440]),
  debounce_seconds: whole(
    'debounce_seconds',
    [0, 30],
    'How long the bot waits for further messages before it answers. 0 = not at all.',
  ),
  human_takeover_minutes: whole(
    'human_takeover_minutes',
    [0, 1_440],
    'How long the bot is silent after a person wrote to the contact.',
  ),
  business_hours_enabled: flag('business_hours_enabled'),
  out_of_hours_message: textOrNull(
    'out_of_hours_message',
    1_024,
    'Sent once to a contact in each span of closed hours. `{{ opens_at }}` is the next opening. ' +
      '`null` = our text in the language of the customer, else of the organization.',
  ),
  out_of_hours_notice: flag(
    'out_of_hours_notice',
    'Whether it is also sent while the chatbot is disabled, and before the answer while automatic ' +
      'answers go on. A flow that asks for the business hours with a `timing` node says so itself.',
  ),
  allow_automated_outside_hours: flag(
    'allow_automated_outside_hours',
    'Whether rules, flows and AI also answer outside business hours.',
  ),
  transfer_outside_hours: oneOf(
    ['queue', 'refuse'],
    about(
      'transfer_outside_hours',
      'What a transfer does outside business hours: wait in the queue, or only send the ' +
        'out-of-hours message.',
    ),
  ),
  allow_agent_queue_pickup: flag('allow_agent_queue_pickup'),
  assign_to_same_agent: flag('assign_to_same_agent'),
  agent_current_conversation_only: flag(
    'agent_current_conversation_only',
    'Whether agents see messages only from the transfer on. Events about the contact and its ' +
      'conversation then contain no preview of an older message, for anybody.',
  ),
  agent_max_active_transfers: wholeOrNull(
    'agent_max_active_transfers',
    [1, 1_000],
    'Active transfers of a person over all teams. `null` = any number.',
  ),
  sla_enabled: flag('sla_enabled'),
  sla_response_minutes: whole('sla_response_minutes', WEEK),
  sla_resolution_minutes: whole('sla_resolution_minutes', WEEK),
  sla_escalation_minutes: whole('sla_escalation_minutes', WEEK),
  sla_business_hours_only: flag('sla_business_hours_only', 'Whether clocks stop outside hours.'),
  sla_warning_message: textOrNull('sla_warning_message'),
  sla_auto_close_hours: wholeOrNull('sla_auto_close_hours', [1, 720], '`null` = never.'),
  sla_auto_close_message: textOrNull('sla_auto_close_message'),
  sla_escalation_notify_ids: Type.Array(Type.String({ format: 'uuid' }), {
    maxItems: 20,
    ...about('sla_escalation_notify_ids', 'IDs of the members who are notified.'),
  }),
  client_reminder_enabled: flag(
    'client_reminder_enabled',
    'Whether a customer who does not answer the bot or an agent is reminded, once per silence.',
  ),
  client_reminder_minutes: whole('client_reminder_minutes', [1, 1_440]),
  client_reminder_message: textOrNull('client_reminder_message'),
  client_auto_close_minutes: wholeOrNull(
    'client_auto_close_minutes',
    WEEK,
    'Ends session and transfer after this silence of the customer. Requires ' +
      '`client_reminder_enabled` and more minutes than `client_reminder_minutes`. `null` = never.',
  ),
  client_auto_close_message: textOrNull('client_auto_close_message'),
  ai_enabled: flag(
    'ai_enabled',
    'Requires `ai_provider`, `ai_model`, `ai_api_key` and `ai_purpose`.',
  ),
  ai_provider: orNull(
    oneOf(['openai', 'anthropic', 'google']),
    about('ai_provider', '`openai` = any compatible server.'),
  ),
  ai_model: textOrNull('ai_model', 100),
  system_prompt: textOrNull('system_prompt', 16_000),
  ai_temperature: Type.Number({ minimum: 0, maximum: 2, ...about('ai_temperature') }),
  ai_max_tokens: whole('ai_max_tokens', [1, 4_096], 'Maximum length of an answer.'),
  ai_include_history: flag('ai_include_history'),
  ai_history_limit: whole('ai_history_limit', [0, 50], 'Earlier messages that are sent along.'),
  ai_timeout_seconds: whole('ai_timeout_seconds', [3, 60]),
  ai_purpose: orNull(
    written(1_000, 10),
    about('ai_purpose', 'What the AI is for. It is put before the system prompt.'),
  ),
  ai_disclosure: oneOf(
    ['always', 'first_in_session', 'off'],
    about('ai_disclosure', 'Which AI answers say that they come from an AI.'),
  ),
  ai_off_topic_message: textOrNull(
    'ai_off_topic_message',
    1_024,
    'Sent for questions outside the purpose. `null` = the fallback.',
  ),
  coalesce: flag('coalesce', 'Whether greeting and answer are sent as one message.'),
  ai_handover: flag('ai_handover', 'Whether the AI can transfer the contact to a person.'),
  ai_daily_token_budget: wholeOrNull('ai_daily_token_budget', [0, 1_000_000_000_000]),
  ai_monthly_token_budget: wholeOrNull('ai_monthly_token_budget', [0, 1_000_000_000_000]),
  ai_monthly_cost_limit_usd: amount('ai_monthly_cost_limit_usd', 'Requires both prices.'),
  ai_price_input_per_million_usd: amount('ai_price_input_per_million_usd'),
  ai_price_output_per_million_usd: amount('ai_price_output_per_million_usd'),
  ai_replies_per_contact_per_hour: whole('ai_replies_per_contact_per_hour', [1, 1_000]),
}

const NewButtons = Type.Array(NewButton, {
  maxItems: 10,
  description: 'One to three reply buttons; more become a list.',
})

/** Buttons in responses. */
const ButtonsView = Type.Array(Type.Object({ id: Type.String(), title: Type.String() }))

const disclosureText = {
  description: 'Own disclosure texts, by language tag (BCP 47). Ours where none is set.',
}

export const ChatbotSettingsChanges = Type.Partial(
  Type.Object({
    ...plain,
    greeting_buttons: NewButtons,
    fallback_buttons: NewButtons,
    excluded_numbers: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      maxItems: 1_000,
      description: 'Phone numbers that never get an automatic answer, whatever their spelling.',
    }),
    business_hours: NewHours,
    holidays: NewHolidays,
    ai_base_url: orNull(
      Type.String({ minLength: 1, maxLength: 2_000 }),
      about('ai_base_url', 'HTTPS URL of a server compatible with OpenAI. Only with `openai`.'),
    ),
    ai_api_key: orNull(
      checkedText(
        'api-key-of-provider',
        (key) => /^[\x21-\x7e]+$/.test(key),
        'must have 1 to 1000 visible ASCII characters without spaces',
        { maxLength: 1_000, description: 'Stored encrypted and never returned. `null` clears it.' },
      ),
    ),
    ai_system_prompt: orNull(written(16_000), { description: 'Same as `system_prompt`.' }),
    ai_disclosure_text: freeObject(disclosureText),
    ai_data_terms_confirmed: Type.Boolean({
      description:
        'Confirms that the provider does not train on the data. Stores who confirmed it and when.',
    }),
    acknowledge_no_human_path: Type.Boolean({
      description: 'Enables the bot or AI although nothing leads to a person.',
    }),
  }),
  {
    title: 'ChatbotSettingsChanges',
    minProperties: 1,
    examples: [
      {
        chatbot_enabled: true,
        greeting_message: 'Welcome to Acme. How can we help?',
        greeting_buttons: [{ title: 'Opening hours' }, { title: 'My order' }],
        business_hours_enabled: true,
        business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:30' }],
      },
    ],
  },
)
export type ChatbotSettingsChanges = Static<typeof ChatbotSettingsChanges>

const counted = Type.Integer({ minimum: 0 })

/** The chatbot settings of an organization or of one phone number. */
export const ChatbotSettingsView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    account_id: orNull(Type.String({ format: 'uuid' }), {
      description: '`null` = settings of the organization.',
    }),
    overridden: Type.Array(Type.String(), {
      description: 'Fields in which the phone number differs from the organization.',
    }),
    ...plain,
    greeting_buttons: ButtonsView,
    fallback_buttons: ButtonsView,
    excluded_numbers: Type.Array(Type.String()),
    business_hours: HoursView,
    holidays: HolidaysView,
    ai_base_url: orNull(Type.String()),
    ai_api_key_set: Type.Boolean(),
    ai_api_key_last4: orNull(Type.String()),
    ai_disclosure_text: Type.Record(Type.String(), Type.String(), disclosureText),
    ai_data_terms_confirmed: Type.Boolean(),
    ai_data_terms: Type.Object({
      confirmed: Type.Boolean(),
      at: orNull(Type.String({ format: 'date-time' })),
      by: orNull(Type.String({ format: 'uuid' })),
    }),
    updated_at: Type.String({ format: 'date-time' }),
    numbers_with_own_settings: Type.Array(Type.String({ format: 'uuid' }), {
      description:
        'IDs of the phone numbers that differ; only in the settings of the organization.',
    }),
    works_with: Type.Object(
      {
        rules: counted,
        flows: counted,
        teams: Type.Array(
          Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
        ),
        general_queue: Type.Boolean(),
      },
      {
        description:
          'The rules and flows that are on now, and the queues to which they hand customers. Words ' +
          'for a person, the fallback and the AI hand over to the general queue.',
      },
    ),
    warnings: Type.Array(
      Type.Object({
        code: Type.String({
          enum: ['human_path_missing', 'never_open'],
        }),
        message: Type.String(),
      }),
      {
        description:
          '`human_path_missing`: the bot answers, and nothing leads to a person. `never_open`: the ' +
          'business hours have no open minute in the next 400 days.',
      },
    ),
    stats: Type.Object(
      {
        sessions_total: counted,
        sessions_active: counted,
        messages_handled: counted,
        ai_responses: counted,
        transfers: counted,
        keywords_count: counted,
        flows_count: counted,
        ai_contexts_count: counted,
      },
      {
        description:
          'Counts of the organization or phone number. Sessions and transfers are counted up to ' +
          '50,000; `ai_responses` are those of all numbers.',
      },
    ),
  },
  { title: 'ChatbotSettings' },
)
export type ChatbotSettingsView = Static<typeof ChatbotSettingsView>
