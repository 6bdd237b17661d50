import type { ChatbotSettings } from '../../../api/shapes'
import type { Draft } from '../../../parts/draft'
import type { Merge } from '../../../parts/merge'
import { t } from '../../../texts/texts'
import { wordOf } from '../settings-form'

/** The settings of the AI while they are changed. The key is written, and never read. */
export type AiForm = ChatbotSettings & { ai_api_key: string | null }

/** What a part of the page changes. */
export interface AiProps {
  draft: Draft<AiForm>
}

/** Stands for the key that is stored: it is never shown. */
export const KEPT = ''

/** Returns what a person changes about the AI. */
export const formOf = (settings: ChatbotSettings): AiForm => ({ ...settings, ai_api_key: KEPT })

/** How the form shows what somebody else saved meanwhile. */
export const MERGE: Merge<AiForm> = {
  read: (present) => present as ChatbotSettings,
  label: wordOf,
  show: (field, value) =>
    field === 'ai_provider' && value !== null
      ? t(`bot.ai.provider.${value as NonNullable<AiForm['ai_provider']>}`)
      : null,
}
