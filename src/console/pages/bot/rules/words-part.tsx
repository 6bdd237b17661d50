import { Checkbox } from '../../../parts/choice'
import type { Draft } from '../../../parts/draft'
import { TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { WordsField } from '../../../parts/words-field'
import { t } from '../../../texts/texts'
import type { RuleForm } from './form'

/** The draft of a rule. */
export interface RuleProps {
  draft: Draft<RuleForm>
}

const MATCHES = ['contains', 'exact', 'starts_with', 'regex'] as const
/** Longest keyword, and longest pattern. */
const LONGEST = { word: 255, pattern: 500 }

/** What a rule listens to. */
export function Words({ draft: { value, set } }: RuleProps) {
  const isPattern = value.match_type === 'regex'
  return (
    <Section title={t('bot.rules.when')} hint={t('bot.rules.when-hint')}>
      <div className="form">
        <WordsField
          name="keywords"
          label={t('bot.rules.keywords')}
          hint={t(isPattern ? 'bot.rules.patterns-hint' : 'bot.rules.keywords-hint')}
          most={50}
          longest={isPattern ? LONGEST.pattern : LONGEST.word}
          isRequired
          words={value.keywords}
          onChange={(keywords) => {
            set({ keywords })
          }}
        />
        <Select
          name="match_type"
          label={t('bot.rules.match')}
          choices={MATCHES.map((id) => ({ id, label: t(`bot.rules.match.${id}`) }))}
          value={value.match_type}
          onChange={(type) => {
            set({ match_type: type })
          }}
        />
        {(value.match_type === 'contains' || value.match_type === 'starts_with') && (
          <Checkbox
            isSelected={value.whole_word}
            onChange={(isWhole) => {
              set({ whole_word: isWhole })
            }}
          >
            {t('bot.rules.whole')}
          </Checkbox>
        )}
        <Checkbox
          isSelected={value.case_sensitive}
          onChange={(isSensitive) => {
            set({ case_sensitive: isSensitive })
          }}
        >
          {t('bot.rules.case')}
        </Checkbox>
        <TextField
          name="name"
          label={t('bot.rules.name')}
          hint={t('bot.rules.name-hint')}
          value={value.name}
          maxLength={255}
          onChange={(name) => {
            set({ name })
          }}
        />
      </div>
    </Section>
  )
}
