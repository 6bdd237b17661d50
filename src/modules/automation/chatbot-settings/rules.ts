import type { FieldProblem } from '../../../lib/errors'
import type { ChatbotSettings } from './catalog'

/** Returns the fields of settings that do not fit each other. */
export function conflictsIn(settings: Readonly<ChatbotSettings>): FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string, isWrong: boolean): void => {
    if (isWrong) problems.push({ path: `body.${field}`, message })
  }
  refuse(
    'business_hours',
    'must have an entry while `business_hours_enabled` is true',
    settings.business_hours_enabled && settings.business_hours.length === 0,
  )
  const closes = settings.client_auto_close_minutes
  refuse(
    'client_auto_close_minutes',
    'requires `client_reminder_enabled`',
    closes !== null && !settings.client_reminder_enabled,
  )
  refuse(
    'client_auto_close_minutes',
    'must be more than `client_reminder_minutes`',
    closes !== null &&
      settings.client_reminder_enabled &&
      closes <= settings.client_reminder_minutes,
  )
  refuse(
    'ai_base_url',
    'is only possible with the provider `openai`',
    settings.ai_base_url !== null && ![null, 'openai'].includes(settings.ai_provider),
  )
  const needs = 'is required while `ai_enabled` is true'
  refuse('ai_provider', needs, settings.ai_enabled && settings.ai_provider === null)
  refuse('ai_model', needs, settings.ai_enabled && settings.ai_model === null)
  refuse('ai_api_key', needs, settings.ai_enabled && !settings.ai_api_key_set)
  refuse('ai_purpose', needs, settings.ai_enabled && settings.ai_purpose === null)
  refuse(
    'ai_monthly_cost_limit_usd',
    'requires `ai_price_input_per_million_usd` and `ai_price_output_per_million_usd`',
    settings.ai_monthly_cost_limit_usd !== null &&
      (settings.ai_price_input_per_million_usd === null ||
        settings.ai_price_output_per_million_usd === null),
  )
  return problems
}

/** Whether the bot or the AI is on. */
export const isAutomatic = (settings: Readonly<ChatbotSettings>): boolean =>
  settings.chatbot_enabled || settings.ai_enabled
