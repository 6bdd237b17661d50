import type { ChatbotSettings } from '../../api/shapes'
import { Section } from '../../parts/page'
import { t } from '../../texts/texts'
import { FactList } from './fact-list'
import { wordOf } from './settings-form'

const SHOWN = [
  'greeting_message',
  'fallback_message',
  'fallback_transfer_after',
  'transfer_keywords',
  'transfer_message',
  'transfer_message_closed',
  'debounce_seconds',
  'human_takeover_minutes',
  'session_timeout_minutes',
] as const satisfies readonly (keyof ChatbotSettings)[]

const inWords = (value: string | number | readonly string[] | null): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '')

/** The settings, for those who only read them. What is not set is left out. */
export const SettingsRead = ({ settings }: { settings: ChatbotSettings }) => (
  <Section title={t('bot.settings')}>
    <FactList
      facts={SHOWN.map((field) => ({
        ...{ id: field, name: wordOf(field) },
        value: inWords(settings[field]),
      }))}
    />
  </Section>
)
