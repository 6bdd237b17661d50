import type { ChatbotSettings } from '../../api/shapes'
import { formatAll } from '../../texts/format'
import { t, type TextKey, type TextValues } from '../../texts/texts'

/** The settings that decide what the bot does now. */
export type Deciding = Pick<
  ChatbotSettings,
  | 'chatbot_enabled'
  | 'disabled_action'
  | 'business_hours_enabled'
  | 'allow_automated_outside_hours'
  | 'out_of_hours_notice'
  | 'transfer_outside_hours'
  | 'greeting_message'
  | 'fallback_message'
  | 'fallback_transfer_after'
  | 'transfer_keywords'
  | 'person_words_languages'
  | 'ai_enabled'
  | 'ai_handover'
  | 'works_with'
>

/** What the bot answers with. */
type Means = 'rules' | 'flows' | 'ai' | 'greeting' | 'fallback'

/** Returns what the bot answers with: its greeting and its fallback count if there is nothing else. */
export function meansOf(settings: Deciding): Means[] {
  const { rules, flows } = settings.works_with
  const answers: (Means | false)[] = [
    rules > 0 && 'rules',
    flows > 0 && 'flows',
    settings.ai_enabled && 'ai',
  ]
  const found = answers.filter((one) => one !== false)
  if (found.length > 0) return found
  const texts: (Means | false)[] = [
    settings.greeting_message !== null && 'greeting',
    settings.fallback_message !== null && 'fallback',
  ]
  return texts.filter((one) => one !== false)
}

/** Whether the bot leads customers to the general queue. */
const usesGeneralQueue = (settings: Deciding): boolean =>
  settings.transfer_keywords.length > 0 ||
  settings.person_words_languages?.length !== 0 ||
  settings.fallback_transfer_after !== null ||
  (settings.ai_enabled && settings.ai_handover) ||
  settings.works_with.general_queue

/** A sentence and its values. */
type Said = [key: TextKey, values?: TextValues]

/** What is said while the bot is off. */
function saidWhileOff(settings: Deciding): Said[] {
  const { disabled_action: action, business_hours_enabled: hasHours } = settings
  if (action === 'none') {
    const isTold = hasHours && settings.out_of_hours_notice
    return isTold ? [['bot.now.off'], ['bot.now.off-closed']] : [['bot.now.off']]
  }
  return hasHours && settings.transfer_outside_hours === 'refuse'
    ? [['bot.now.off-transfer-hours'], ['bot.now.closed-only']]
    : [['bot.now.off-transfer']]
}

/** What is said about hours: when the bot answers, and what customers hear outside of them. */
function closedOf(settings: Deciding): Said[] {
  if (!settings.business_hours_enabled) return []
  if (!settings.allow_automated_outside_hours) return [['bot.now.closed-only']]
  return settings.out_of_hours_notice ? [['bot.now.closed-first']] : []
}

function handOverOf(settings: Deciding): Said {
  const queues = [
    ...settings.works_with.teams.map(({ name }) => name),
    ...(usesGeneralQueue(settings) ? [t('bot.now.general')] : []),
  ]
  if (queues.length === 0) return ['bot.now.hands-nobody']
  const isRefused = settings.business_hours_enabled && settings.transfer_outside_hours === 'refuse'
  return [isRefused ? 'bot.now.hands-hours' : 'bot.now.hands', { queues: formatAll(queues) }]
}

/** Returns what the bot does now, as sentences. */
export function sentencesOf(settings: Deciding): Said[] {
  if (!settings.chatbot_enabled) return saidWhileOff(settings)
  const means = meansOf(settings)
  const isLimited = settings.business_hours_enabled && !settings.allow_automated_outside_hours
  const answers: Said =
    means.length === 0
      ? ['bot.now.empty']
      : [
          isLimited ? 'bot.now.hours' : 'bot.now.always',
          { means: formatAll(means.map((one) => t(`bot.means.${one}`))) },
        ]
  return [answers, ...closedOf(settings), handOverOf(settings)]
}

/** Returns what the bot does now, in words. */
export const nowInWords = (settings: Deciding): string =>
  sentencesOf(settings)
    .map(([key, values]) => t(key, values))
    .join(' ')
