import { useQueryClient } from '@tanstack/react-query'

import { call, type Body } from '../../api/client'
import type { ChatbotSettings } from '../../api/shapes'
import { keyOf, useApi } from '../../live/query'
import type { Draft } from '../../parts/draft'
import { hoursInWords } from '../../parts/hours/words'
import type { Merge } from '../../parts/merge'
import { t, type TextKey } from '../../texts/texts'

/** The settings of the organization, or of one phone number, while they are changed. */
export interface PartProps {
  draft: Draft<ChatbotSettings>
}

const ROUTE = 'GET /api/chatbot/settings'
const queryOf = (accountId: string | undefined) =>
  accountId === undefined ? {} : { account_id: accountId }

/** Loads the settings of the organization, or of one phone number. */
export const useSettings = (accountId: string | undefined, isNeeded: boolean) =>
  useApi(ROUTE, { query: queryOf(accountId) }, isNeeded)

/** Returns how changes of the settings are saved. What is shown of them follows. */
export function useSaveSettings(
  accountId: string | undefined,
): (changes: Body<'PUT /api/chatbot/settings'>, ifMatch?: string) => Promise<ChatbotSettings> {
  const client = useQueryClient()
  return async (body, ifMatch) => {
    const query = queryOf(accountId)
    const wish = { query, body, ...(ifMatch === undefined ? {} : { ifMatch }) }
    const saved = await call('PUT /api/chatbot/settings', wish)
    client.setQueryData(keyOf(ROUTE, { query }), saved)
    // those of numbers follow the organization, and the other way round
    await client.invalidateQueries({ queryKey: [ROUTE] })
    return saved
  }
}

/** Returns what loads the settings again, of the organization and of all numbers. */
export function useRefreshSettings(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [ROUTE] })
}

/** What people call the settings. */
const LABELS: Partial<Record<string, TextKey>> = {
  chatbot_enabled: 'bot.switch',
  disabled_action: 'bot.person.disabled',
  greeting_message: 'bot.greeting.text',
  greeting_buttons: 'bot.greeting.buttons',
  greeting_every_hours: 'bot.greeting.every',
  fallback_message: 'bot.fallback.text',
  fallback_buttons: 'bot.fallback.buttons',
  fallback_on_media: 'bot.fallback.media',
  fallback_transfer_after: 'bot.fallback.after',
  transfer_keywords: 'bot.person.words',
  person_words_languages: 'bot.person.languages',
  transfer_message: 'bot.person.text',
  transfer_message_closed: 'bot.person.text-closed',
  transfer_outside_hours: 'bot.hours.transfer',
  allow_automated_outside_hours: 'bot.hours.answers',
  assign_to_same_agent: 'bot.person.same',
  allow_agent_queue_pickup: 'bot.person.pickup',
  agent_current_conversation_only: 'bot.person.current-only',
  agent_max_active_transfers: 'bot.person.most',
  debounce_seconds: 'bot.limits.debounce',
  human_takeover_minutes: 'bot.limits.silence',
  session_timeout_minutes: 'bot.limits.session',
  coalesce: 'bot.limits.coalesce',
  excluded_numbers: 'bot.limits.excluded',
  ai_enabled: 'bot.ai.enabled',
  ai_provider: 'bot.ai.provider',
  ai_model: 'bot.ai.model',
  ai_base_url: 'bot.ai.url',
  ai_api_key: 'bot.ai.key',
  ai_data_terms_confirmed: 'bot.ai.terms',
  ai_purpose: 'bot.ai.purpose',
  system_prompt: 'bot.ai.prompt',
  ai_temperature: 'bot.ai.temperature',
  ai_max_tokens: 'bot.ai.length',
  ai_timeout_seconds: 'bot.ai.timeout',
  ai_replies_per_contact_per_hour: 'bot.ai.replies',
  ai_include_history: 'bot.ai.history',
  ai_history_limit: 'bot.ai.history-limit',
  ai_off_topic_message: 'bot.ai.off-topic',
  ai_handover: 'bot.ai.handover',
  ai_daily_token_budget: 'bot.ai.daily',
  ai_monthly_token_budget: 'bot.ai.monthly',
  ai_monthly_cost_limit_usd: 'bot.ai.limit',
  ai_price_input_per_million_usd: 'bot.ai.price-in',
  ai_price_output_per_million_usd: 'bot.ai.price-out',
  business_hours: 'settings.hours.week',
  business_hours_enabled: 'settings.hours.enabled',
  holidays: 'settings.hours.holidays',
  out_of_hours_message: 'settings.hours.closed-text',
  out_of_hours_notice: 'settings.hours.tell',
  ai_disclosure: 'bot.disclosure.when',
  ai_disclosure_text: 'bot.disclosure.texts',
}

/** Returns what people call a setting. */
export const wordOf = (field: string): string => t(LABELS[field] ?? 'bot.other')

/** How a form of settings shows what somebody else saved meanwhile. */
export const MERGE: Merge<ChatbotSettings> = {
  read: (present) => present as ChatbotSettings,
  label: wordOf,
  show: (field, value) => {
    if (field === 'greeting_buttons' || field === 'fallback_buttons')
      return (value as ChatbotSettings['greeting_buttons']).map(({ title }) => title).join(', ')
    if (field === 'ai_disclosure_text')
      return Object.entries(value as Record<string, string>)
        .map(([language, text]) => `${language}: ${text}`)
        .join(' · ')
    return hoursInWords(field, value)
  },
}
