import type { ChatbotSettings } from '../../api/shapes'
import type { TextKey } from '../../texts/texts'
import { meansOf } from './sentence'

/** Something that the bot lacks, and where it is mended. */
export interface Missing {
  id: string
  text: TextKey
  /** Where it is mended; where there are several ways, each has its name. */
  ways: readonly Way[]
}

/** A place where something is mended. */
interface Way {
  to: '/bot' | '/bot/rules' | '/bot/flows' | '/bot/ai' | '/settings/hours' | '/settings/numbers'
  /** The part of the page. */
  part?: string
  name?: TextKey
}

/** A part of the settings, on the page itself. */
const part = (name: string): Way[] => [{ to: '/bot', part: name }]

/** What answers customers. */
const ANSWERS: readonly Way[] = [
  { to: '/bot/rules', name: 'bot.missing.mend-rule' },
  { to: '/bot/flows', name: 'bot.missing.mend-flow' },
  { to: '/bot/ai', name: 'bot.missing.mend-ai' },
]

/** Returns what the bot lacks; first what keeps customers from a person or from an answer. */
export function missingIn(
  settings: ChatbotSettings,
  { hasNumber, knowledge }: { hasNumber: boolean; knowledge: number | null },
): Missing[] {
  const warned = new Set(settings.warnings.map(({ code }) => code))
  const isOn = settings.chatbot_enabled
  const usesAi = isOn && settings.ai_enabled
  const ai: Way[] = [{ to: '/bot/ai' }]
  // the hours of a number are on its page
  const hours: Way[] = settings.account_id === null ? [{ to: '/settings/hours' }] : part('hours')
  const lacks = (id: string, text: TextKey, ways: readonly Way[]): Missing => ({ id, text, ways })
  const found: (Missing | false)[] = [
    !hasNumber && lacks('number', 'bot.missing.number', [{ to: '/settings/numbers' }]),
    warned.has('human_path_missing') &&
      lacks('human_path_missing', 'bot.missing.person', part('person')),
    warned.has('never_open') && lacks('never_open', 'bot.missing.open', hours),
    meansOf(settings).every((one) => one === 'greeting' || one === 'fallback') &&
      lacks('answers', 'bot.missing.answers', ANSWERS),
    settings.fallback_message === null &&
      lacks('fallback', 'bot.missing.fallback', part('fallback')),
    settings.greeting_message === null &&
      lacks('greeting', 'bot.missing.greeting', part('greeting')),
    usesAi &&
      settings.ai_disclosure === 'off' &&
      lacks('disclosure', 'bot.missing.disclosure', part('disclosure')),
    usesAi && !settings.ai_data_terms_confirmed && lacks('terms', 'bot.missing.terms', ai),
    usesAi && knowledge === 0 && lacks('knowledge', 'bot.missing.knowledge', ai),
  ]
  return found.filter((one) => one !== false)
}
