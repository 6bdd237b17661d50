import { Switch } from '../../parts/choice'
import { NumberField } from '../../parts/field'
import { Section } from '../../parts/page'
import { WordsField } from '../../parts/words-field'
import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'
import type { PartProps } from './settings-form'

const NUMBERS = [
  ['debounce_seconds', 'debounce', [0, 30]],
  ['human_takeover_minutes', 'silence', [0, 1_440]],
  ['session_timeout_minutes', 'session', [1, 1_440]],
] as const

/** How long the bot waits and is silent, and whom it never answers. */
export function Limits({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('bot.limits.title')} hint={t('bot.limits.hint')}>
      <div className="form">
        {NUMBERS.map(([name, text, range]) => (
          <NumberField
            key={name}
            name={name}
            label={t(`bot.limits.${text}`)}
            hint={t(`bot.limits.${text}-hint`)}
            range={range}
            value={value[name]}
            onChange={(number) => {
              set({ [name]: number })
            }}
          />
        ))}
        <Switch
          isSelected={value.coalesce}
          onChange={(isOn) => {
            set({ coalesce: isOn })
          }}
        >
          {t('bot.limits.coalesce')}
        </Switch>
        {value.account_id === null && (
          <WordsField
            name="excluded_numbers"
            label={t('bot.limits.excluded')}
            hint={t('bot.limits.excluded-hint')}
            most={1_000}
            longest={40}
            inputMode="tel"
            show={formatPhone}
            words={value.excluded_numbers}
            onChange={(numbers) => {
              set({ excluded_numbers: numbers })
            }}
          />
        )}
      </div>
    </Section>
  )
}
