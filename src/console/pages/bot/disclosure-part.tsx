import { useState } from 'react'

import type { ChatbotSettings } from '../../api/shapes'
import { Button, IconButton } from '../../parts/button'
import { TextField } from '../../parts/field'
import { Section } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Select } from '../../parts/select'
import { formatLanguage } from '../../texts/format'
import { t } from '../../texts/texts'
import type { PartProps } from './settings-form'

const MODES = [
  'always',
  'first_in_session',
  'off',
] as const satisfies readonly ChatbotSettings['ai_disclosure'][]

/** Languages that are offered for a text of one's own. */
const LANGUAGES = (
  'ar bn bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru ' +
  'sk sl sr sv sw ta th tr uk ur vi zh'
).split(' ')
/** Most languages, and the longest text. */
const MOST = 50
const LONGEST = 300

/** Texts of one's own by language, in place of ours. */
function Texts({ draft: { value, set } }: PartProps) {
  const texts = value.ai_disclosure_text
  const [language, setLanguage] = useState<string | null>(null)
  const left = LANGUAGES.filter((one) => !(one in texts))
  const change = (tag: string, text: string | null): void => {
    const { [tag]: _, ...rest } = texts
    set({ ai_disclosure_text: text === null ? rest : { ...texts, [tag]: text } })
  }
  return (
    <>
      {Object.entries(texts).map(([tag, text]) => (
        <div key={tag} className="entry-line">
          <TextField
            name={`ai_disclosure_text.${tag}`}
            label={formatLanguage(tag)}
            value={text}
            maxLength={LONGEST}
            isRequired
            onChange={(written) => {
              change(tag, written)
            }}
          />
          <IconButton
            icon="trash"
            label={t('bot.disclosure.remove', { language: formatLanguage(tag) })}
            onPress={() => {
              change(tag, null)
            }}
          />
        </div>
      ))}
      {Object.keys(texts).length < MOST && left.length > 0 && (
        <div className="entry-line">
          <SearchSelect
            label={t('bot.disclosure.language')}
            choices={left.map((id) => ({ id, label: formatLanguage(id) }))}
            value={language}
            onChange={setLanguage}
          />
          <Button
            icon="plus"
            isDisabled={language === null}
            onPress={() => {
              if (language !== null) change(language, '')
              setLanguage(null)
            }}
          >
            {t('bot.disclosure.add')}
          </Button>
        </div>
      )}
    </>
  )
}

/** How customers learn that an AI answers them. */
export function Disclosure({ draft }: PartProps) {
  const { value, set } = draft
  return (
    <Section title={t('bot.disclosure.title')} hint={t('bot.disclosure.hint')}>
      <span id="disclosure" />
      <div className="form">
        <Select
          label={t('bot.disclosure.when')}
          choices={MODES.map((id) => ({ id, label: t(`bot.disclosure.${id}`) }))}
          value={value.ai_disclosure}
          hint={t(`bot.disclosure.${value.ai_disclosure}-hint`)}
          onChange={(mode) => {
            set({ ai_disclosure: mode })
          }}
        />
        {value.ai_disclosure !== 'off' && (
          <>
            <p className="muted small">{t('bot.disclosure.texts-hint')}</p>
            <Texts draft={draft} />
          </>
        )}
      </div>
    </Section>
  )
}
