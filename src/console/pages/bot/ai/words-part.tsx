import { Switch } from '../../../parts/choice'
import { CodeEditor } from '../../../parts/code/code-field'
import { CountedField } from '../../../parts/counted'
import { DecimalField } from '../../../parts/decimal-field'
import { Disclosure } from '../../../parts/disclosure'
import { NumberField, TextArea } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import type { AiProps } from './form'

/** Longest purpose, and longest instructions. */
const LONGEST = { purpose: 1_000, prompt: 16_000 }

const NUMBERS = [
  ['ai_max_tokens', 'length', [1, 4_096]],
  ['ai_timeout_seconds', 'timeout', [3, 60]],
  ['ai_replies_per_contact_per_hour', 'replies', [1, 1_000]],
] as const

/** How the AI answers, for those who want to know. */
function Details({ draft: { value, set } }: AiProps) {
  return (
    <>
      <DecimalField
        name="ai_temperature"
        label={t('bot.ai.temperature')}
        hint={t('bot.ai.temperature-hint')}
        range={[0, 2]}
        value={value.ai_temperature}
        onChange={(temperature) => {
          if (temperature !== null) set({ ai_temperature: temperature })
        }}
      />
      {NUMBERS.map(([name, text, range]) => (
        <NumberField
          key={name}
          name={name}
          label={t(`bot.ai.${text}`)}
          range={range}
          value={value[name]}
          onChange={(number) => {
            set({ [name]: number })
          }}
        />
      ))}
      <Switch
        isSelected={value.ai_include_history}
        onChange={(isOn) => {
          set({ ai_include_history: isOn })
        }}
      >
        {t('bot.ai.history')}
      </Switch>
      {value.ai_include_history && (
        <NumberField
          name="ai_history_limit"
          label={t('bot.ai.history-limit')}
          range={[0, 50]}
          value={value.ai_history_limit}
          onChange={(limit) => {
            set({ ai_history_limit: limit })
          }}
        />
      )}
    </>
  )
}

/** What the AI is for, and what it is told. */
export function AiWords({ draft }: AiProps) {
  const { value, set } = draft
  return (
    <Section title={t('bot.ai.words-title')} hint={t('bot.ai.words-hint')}>
      <div className="form bot-wide-form">
        <CountedField
          name="ai_purpose"
          label={t('bot.ai.purpose')}
          hint={t('bot.ai.purpose-hint')}
          most={LONGEST.purpose}
          rows={3}
          value={value.ai_purpose ?? ''}
          onChange={(text) => {
            set({ ai_purpose: text === '' ? null : text })
          }}
        />
        <CodeEditor
          label={t('bot.ai.prompt')}
          hint={t('bot.ai.prompt-hint')}
          language="liquid"
          value={value.system_prompt ?? ''}
          problems={
            (value.system_prompt ?? '').length > LONGEST.prompt
              ? [{ line: 1, message: t('bot.ai.prompt-long', { most: LONGEST.prompt }) }]
              : []
          }
          onChange={(text) => {
            set({ system_prompt: text.trim() === '' ? null : text })
          }}
        />
        <TextArea
          name="ai_off_topic_message"
          label={t('bot.ai.off-topic')}
          hint={t('bot.ai.off-topic-hint')}
          rows={2}
          maxLength={1_024}
          value={value.ai_off_topic_message ?? ''}
          onChange={(text) => {
            set({ ai_off_topic_message: text === '' ? null : text })
          }}
        />
        <Switch
          isSelected={value.ai_handover}
          onChange={(isOn) => {
            set({ ai_handover: isOn })
          }}
        >
          {t('bot.ai.handover')}
        </Switch>
        <Disclosure title={t('bot.ai.details')}>{() => <Details draft={draft} />}</Disclosure>
      </div>
    </Section>
  )
}
