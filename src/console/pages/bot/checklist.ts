import type { ChatbotSettings } from '../../api/shapes'
import type { TextKey } from '../../texts/texts'
import { meansOf } from './sentence'

/** Something that the bot lacks, and where it is mended. */
export interface Missing {
  id: string
  text: TextKey
  to: '/bot' | '/bot/rules' | '/bot/ai' | '/settings/hours' | '/settings/numbers'
  /** The part of the page. */
  part?: string
}

/** Returns what the bot lacks; first what keeps customers from a person or from an answer. */
export function missingIn(
  settings: ChatbotSettings,
  { hasNumber, knowledge }: { hasNumber: boolean; knowledge: number | null },
): Missing[] {
  const warned = new Set(settings.warnings.map(({ code }) => code))
  const isOn = settings.chatbot_enabled
  const usesAi = isOn && settings.ai_enabled
  const found: (Missing | false)[] = [
    !hasNumber && { id: 'number', text: 'bot.missing.number', to: '/settings/numbers' },
    warned.has('human_path_missing') && {
      ...{ id: 'human_path_missing', text: 'bot.missing.person', to: '/bot', part: 'person' },
    },
    warned.has('never_open') && {
      ...{ id: 'never_open', text: 'bot.missing.open', to: '/settings/hours' },
    },
    meansOf(settings).every((one) => one === 'greeting' || one === 'fallback') && {
      ...{ id: 'answers', text: 'bot.missing.answers', to: '/bot/rules' },
    },
    settings.fallback_message === null && {
      ...{ id: 'fallback', text: 'bot.missing.fallback', to: '/bot', part: 'fallback' },
    },
    settings.greeting_message === null && {
      ...{ id: 'greeting', text: 'bot.missing.greeting', to: '/bot', part: 'greeting' },
    },
    usesAi &&
      settings.ai_disclosure === 'off' && {
        ...{ id: 'disclosure', text: 'bot.missing.disclosure', to: '/bot', part: 'disclosure' },
      },
    usesAi &&
      !settings.ai_data_terms_confirmed && {
        ...{ id: 'terms', text: 'bot.missing.terms', to: '/bot/ai' },
      },
    usesAi && knowledge === 0 && { id: 'knowledge', text: 'bot.missing.knowledge', to: '/bot/ai' },
  ]
  return found.filter((one) => one !== false)
}
