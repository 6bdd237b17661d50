import type { ChatbotSettings } from '../../api/shapes'
import { Checkbox, Switch } from '../../parts/choice'
import { CountedField } from '../../parts/counted'
import { NumberField } from '../../parts/field'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { WordsField } from '../../parts/words-field'
import { formatLanguage } from '../../texts/format'
import { t } from '../../texts/texts'
import type { PartProps } from './settings-form'

/** Languages in which our own words for a person are heard. */
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'id', 'it', 'pt', 'tr'] as const
type Language = (typeof LANGUAGES)[number]

/** Longest text of a hand-over, characters. */
const LONGEST = 1_024

/** The languages in which customers may ask for a person. All of them is the same as no choice. */
function Languages({ draft: { value, set } }: PartProps) {
  const chosen = new Set<string>(value.person_words_languages ?? LANGUAGES)
  const toggle = (language: Language, isOn: boolean): void => {
    const next = LANGUAGES.filter((one) => (one === language ? isOn : chosen.has(one)))
    set({ person_words_languages: next.length === LANGUAGES.length ? null : next })
  }
  return (
    <fieldset className="bot-languages">
      <legend>{t('bot.person.languages')}</legend>
      <p className="muted small">{t('bot.person.languages-hint')}</p>
      <div>
        {LANGUAGES.map((language) => (
          <Checkbox
            key={language}
            isSelected={chosen.has(language)}
            onChange={(isOn) => {
              toggle(language, isOn)
            }}
          >
            {formatLanguage(language)}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  )
}

const TEXTS = ['transfer_message', 'transfer_message_closed'] as const

/** What the customer hears when a person takes over. */
const HandOverTexts = ({ draft: { value, set } }: PartProps) =>
  TEXTS.map((name) => {
    const word = name === 'transfer_message' ? 'text' : 'text-closed'
    return (
      <CountedField
        key={name}
        name={name}
        label={t(`bot.person.${word}`)}
        hint={t(`bot.person.${word}-hint`, { variable: '{{ opens_at }}' })}
        most={LONGEST}
        rows={2}
        value={value[name] ?? ''}
        onChange={(text) => {
          set({ [name]: text === '' ? null : text })
        }}
      />
    )
  })

const SWITCHES = [
  ['assign_to_same_agent', 'same'],
  ['allow_agent_queue_pickup', 'pickup'],
  ['agent_current_conversation_only', 'current-only'],
] as const

/** Who of the organization takes over. */
function Agents({ draft: { value, set } }: PartProps) {
  return (
    <>
      {SWITCHES.map(([field, text]) => (
        <Switch
          key={field}
          isSelected={value[field]}
          onChange={(isOn) => {
            set({ [field]: isOn })
          }}
        >
          {t(`bot.person.${text}`)}
        </Switch>
      ))}
      <NumberField
        name="agent_max_active_transfers"
        label={t('bot.person.most')}
        hint={t('bot.person.most-hint')}
        range={[1, 1_000]}
        value={value.agent_max_active_transfers}
        onChange={(most) => {
          set({ agent_max_active_transfers: most })
        }}
        onClear={() => {
          set({ agent_max_active_transfers: null })
        }}
      />
    </>
  )
}

const DISABLED = [
  'none',
  'transfer',
] as const satisfies readonly ChatbotSettings['disabled_action'][]

/** How customers reach a person, and what they hear then. */
export function Person({ draft }: PartProps) {
  const { value, set } = draft
  return (
    <Section title={t('bot.person.title')} hint={t('bot.person.hint')}>
      <span id="person" />
      <div className="form">
        <WordsField
          name="transfer_keywords"
          label={t('bot.person.words')}
          hint={t('bot.person.words-hint')}
          most={50}
          longest={64}
          words={value.transfer_keywords}
          onChange={(words) => {
            set({ transfer_keywords: words })
          }}
        />
        <Languages draft={draft} />
        <HandOverTexts draft={draft} />
        <Select
          label={t('bot.person.disabled')}
          choices={DISABLED.map((id) => ({ id, label: t(`bot.person.disabled.${id}`) }))}
          value={value.disabled_action}
          onChange={(action) => {
            set({ disabled_action: action })
          }}
        />
        {value.account_id === null && <Agents draft={draft} />}
      </div>
    </Section>
  )
}
