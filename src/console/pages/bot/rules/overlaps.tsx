import { Link } from '@tanstack/react-router'
import { useQueries } from '@tanstack/react-query'

import { call } from '../../../api/client'
import type { KeywordRule } from '../../../api/shapes'
import { Icon } from '../../../parts/icons'
import { t } from '../../../texts/texts'

/** Keywords that are tried. */
const MOST_TRIED = 10

/** Who answers a message that is nothing but a keyword of a rule. */
const useAnswering = (rule: KeywordRule) =>
  useQueries({
    queries: (rule.match_type === 'regex' || !rule.enabled
      ? []
      : rule.keywords.slice(0, MOST_TRIED)
    ).map((text) => ({
      queryKey: ['POST /api/chatbot/keywords/test', rule.id, rule.updated_at, text],
      staleTime: 0,
      queryFn: async () => {
        const body = { text, account_id: rule.account_id }
        return { text, ...(await call('POST /api/chatbot/keywords/test', { body })) }
      },
    })),
  })

/** What keeps a rule from answering: other rules, words to opt out, and what a template lacks. */
export function Warnings({ rule }: { rule: KeywordRule }) {
  const taken = useAnswering(rule).flatMap(({ data }) =>
    data && data.winner !== null && data.winner.id !== rule.id ? [data] : [],
  )
  if (taken.length === 0 && rule.warnings.length === 0) return null
  return (
    <section className="rule-warnings" aria-label={t('bot.rules.warnings')}>
      <Icon name="warning" />
      <ul>
        {taken.map(({ text, winner }) => (
          <li key={text}>
            {t('bot.rules.taken', { keyword: text })}{' '}
            {winner && (
              <Link to="/bot/rules/$ruleId" params={{ ruleId: winner.id }} dir="auto">
                {winner.name}
              </Link>
            )}
          </li>
        ))}
        {rule.warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{warningOf(rule, path, message)}</li>
        ))}
      </ul>
    </section>
  )
}

/** Returns a warning of the server in the language of the page. */
function warningOf({ keywords }: KeywordRule, path: string, message: string): string {
  const [, at] = /^keywords\.(\d+)$/.exec(path) ?? []
  if (at !== undefined) return t('bot.rules.opts', { keyword: keywords[Number(at)] ?? '' })
  if (path.startsWith('active_hours')) return t('bot.rules.never')
  const [, missing] = /not sent: (.*)$/.exec(message) ?? []
  return t('bot.rules.lacks', { names: missing ?? message })
}
