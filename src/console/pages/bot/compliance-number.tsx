import type { AiCompliance } from '../../api/shapes'
import { Section } from '../../parts/page'
import { formatDateTime, formatLanguage, formatList } from '../../texts/format'
import { t } from '../../texts/texts'
import { FactList, type Fact } from './fact-list'

type Number = AiCompliance['numbers'][number]

const yesNo = (is: boolean): string => t(is ? 'bot.report.yes' : 'bot.report.no')

/** Returns what is sent to the provider with each question. */
const sentIn = ({ history_messages: history }: Number): string[] => [
  t('bot.report.sent-message'),
  ...(history > 0 ? [t('bot.report.sent-history', { count: history })] : []),
  t('bot.report.sent-knowledge'),
]

/** Returns how a customer reaches a person. */
function waysIn({ ways_to_a_person: ways }: Number): string[] {
  const { transfer_keywords: words, person_words_languages: languages } = ways
  const { fallback_transfer_after: after, ai_handover: isAi } = ways
  return [
    ...(words.length > 0 ? [t('bot.report.way-words', { words: formatList(words) })] : []),
    ...(languages.length > 0
      ? [t('bot.report.way-languages', { languages: formatList(languages.map(formatLanguage)) })]
      : []),
    ...(after === null ? [] : [t('bot.report.way-fallback', { count: after })]),
    ...(isAi ? [t('bot.ai.handover')] : []),
  ]
}

const listed = (words: readonly string[]) => (
  <ul className="sentences">
    {words.map((word) => (
      <li key={word} dir="auto">
        {word}
      </li>
    ))}
  </ul>
)

const factsOf = (number: Number): Fact[] => {
  const { provider, data_terms: terms } = number
  return [
    { id: 'enabled', name: t('bot.report.on'), value: yesNo(number.enabled) },
    { id: 'purpose', name: t('bot.ai.purpose'), value: number.purpose },
    { id: 'prompt', name: t('bot.ai.prompt'), value: number.system_prompt },
    {
      id: 'disclosure',
      name: t('bot.disclosure.when'),
      value: t(`bot.disclosure.${number.disclosure}`),
    },
    {
      id: 'texts',
      name: t('bot.report.told'),
      value:
        number.disclosure === 'off'
          ? null
          : listed(
              Object.entries(number.disclosure_texts).map(
                ([language, text]) => `${formatLanguage(language)}: ${text}`,
              ),
            ),
    },
    {
      id: 'provider',
      name: t('bot.ai.provider'),
      value: [provider, number.model].filter((word) => word !== null).join(' · '),
    },
    { id: 'to', name: t('bot.report.to'), value: number.data_destination },
    {
      id: 'sent',
      name: t('bot.report.sent'),
      value: provider === null ? null : listed(sentIn(number)),
    },
    {
      id: 'terms',
      name: t('bot.ai.terms'),
      value:
        terms.at === null ? yesNo(false) : t('bot.ai.terms-at', { time: formatDateTime(terms.at) }),
    },
    {
      id: 'store',
      name: t('bot.report.no-store'),
      value: provider === null ? null : yesNo(number.no_store_requested),
    },
    {
      id: 'ways',
      name: t('bot.person.title'),
      value: waysIn(number).length === 0 ? t('bot.now.hands-nobody') : listed(waysIn(number)),
    },
  ]
}

/** What the AI is for on one number, what it tells, where data goes, and the way to a person. */
export const NumberFacts = ({ number }: { number: Number }) => (
  <Section title={number.name ?? t('bot.rules.any-number')}>
    <FactList facts={factsOf(number)} />
  </Section>
)
