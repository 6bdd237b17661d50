import type { Holiday, Hours } from '../../../lib/business-hours'

/** The languages that our words are in. */
export const WORDS_LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'id', 'it', 'pt', 'tr'] as const

export type WordsLanguage = (typeof WORDS_LANGUAGES)[number]

/** A button below a text of the bot: a reply button, or a row of a list if there are more than three. */
export interface BotButton {
  id: string
  title: string
}

/** The settings of the chatbot that apply to an organization or to one of its phone numbers. */
export interface ChatbotSettings {
  chatbot_enabled: boolean
  disabled_action: 'none' | 'transfer'
  greeting_message: string | null
  greeting_buttons: BotButton[]
  greeting_every_hours: number
  fallback_message: string | null
  fallback_buttons: BotButton[]
  fallback_on_media: boolean
  fallback_transfer_after: number | null
  transfer_keywords: string[]
  /** Whose words for a person and to cancel are heard beside the own ones; `null` for all. */
  person_words_languages: WordsLanguage[] | null
  transfer_message: string | null
  transfer_message_closed: string | null
  session_timeout_minutes: number
  debounce_seconds: number
  human_takeover_minutes: number
  /** Digits of phone numbers, E.164 without `+`. */
  excluded_numbers: string[]
  business_hours_enabled: boolean
  business_hours: Hours
  holidays: Holiday[]
  out_of_hours_message: string | null
  out_of_hours_notice: boolean
  allow_automated_outside_hours: boolean
  transfer_outside_hours: 'queue' | 'refuse'
  allow_agent_queue_pickup: boolean
  assign_to_same_agent: boolean
  agent_current_conversation_only: boolean
  agent_max_active_transfers: number | null
  sla_enabled: boolean
  sla_response_minutes: number
  sla_resolution_minutes: number
  sla_escalation_minutes: number
  sla_business_hours_only: boolean
  sla_warning_message: string | null
  sla_auto_close_hours: number | null
  sla_auto_close_message: string | null
  sla_escalation_notify_ids: string[]
  client_reminder_enabled: boolean
  client_reminder_minutes: number
  client_reminder_message: string | null
  client_auto_close_minutes: number | null
  client_auto_close_message: string | null
  ai_enabled: boolean
  ai_provider: 'openai' | 'anthropic' | 'google' | null
  ai_base_url: string | null
  ai_model: string | null
  /** Whether there is a key; `openAiKey` returns it. */
  ai_api_key_set: boolean
  /** Last four characters of the key; null without one, or if the key is short. */
  ai_api_key_last4: string | null
  system_prompt: string | null
  ai_temperature: number
  ai_max_tokens: number
  ai_include_history: boolean
  ai_history_limit: number
  ai_timeout_seconds: number
  ai_purpose: string | null
  ai_disclosure: 'always' | 'first_in_session' | 'off'
  ai_disclosure_text: Record<string, string>
  ai_off_topic_message: string | null
  /** Who confirmed that the provider does not train on the data, and when; null for nobody. */
  ai_data_terms: { at: string; by: string | null } | null
  coalesce: boolean
  ai_handover: boolean
  ai_daily_token_budget: number | null
  ai_monthly_token_budget: number | null
  ai_monthly_cost_limit_usd: number | null
  ai_price_input_per_million_usd: number | null
  ai_price_output_per_million_usd: number | null
  ai_replies_per_contact_per_hour: number
}

/** The settings of a new organization. */
export const DEFAULTS: Readonly<ChatbotSettings> = {
  chatbot_enabled: false,
  disabled_action: 'none',
  greeting_message: null,
  greeting_buttons: [],
  greeting_every_hours: 12,
  fallback_message: null,
  fallback_buttons: [],
  fallback_on_media: false,
  fallback_transfer_after: 3,
  transfer_keywords: [],
  person_words_languages: null,
  transfer_message: null,
  transfer_message_closed: null,
  session_timeout_minutes: 30,
  debounce_seconds: 2,
  human_takeover_minutes: 60,
  excluded_numbers: [],
  business_hours_enabled: false,
  business_hours: [],
  holidays: [],
  out_of_hours_message: null,
  out_of_hours_notice: true,
  allow_automated_outside_hours: true,
  transfer_outside_hours: 'queue',
  allow_agent_queue_pickup: true,
  assign_to_same_agent: true,
  agent_current_conversation_only: false,
  agent_max_active_transfers: null,
  sla_enabled: false,
  sla_response_minutes: 15,
  sla_resolution_minutes: 60,
  sla_escalation_minutes: 30,
  sla_business_hours_only: false,
  sla_warning_message: null,
  sla_auto_close_hours: 24,
  sla_auto_close_message: null,
  sla_escalation_notify_ids: [],
  client_reminder_enabled: false,
  client_reminder_minutes: 30,
  client_reminder_message: null,
  client_auto_close_minutes: null,
  client_auto_close_message: null,
  ai_enabled: false,
  ai_provider: null,
  ai_base_url: null,
  ai_model: null,
  ai_api_key_set: false,
  ai_api_key_last4: null,
  system_prompt: null,
  ai_temperature: 0.7,
  ai_max_tokens: 500,
  ai_include_history: true,
  ai_history_limit: 10,
  ai_timeout_seconds: 20,
  ai_purpose: null,
  ai_disclosure: 'first_in_session',
  ai_disclosure_text: {},
  ai_off_topic_message: null,
  ai_data_terms: null,
  coalesce: true,
  ai_handover: true,
  ai_daily_token_budget: null,
  ai_monthly_token_budget: null,
  ai_monthly_cost_limit_usd: null,
  ai_price_input_per_million_usd: null,
  ai_price_output_per_million_usd: null,
  ai_replies_per_contact_per_hour: 30,
}

/** Settings of the organization alone. A phone number cannot differ in them. */
export const ORGANIZATION_ONLY: ReadonlySet<string> = new Set<keyof ChatbotSettings>([
  'allow_agent_queue_pickup',
  'assign_to_same_agent',
  'agent_current_conversation_only',
  'agent_max_active_transfers',
  'excluded_numbers',
  'sla_escalation_notify_ids',
  'ai_daily_token_budget',
  'ai_monthly_token_budget',
  'ai_monthly_cost_limit_usd',
  'ai_price_input_per_million_usd',
  'ai_price_output_per_million_usd',
])
