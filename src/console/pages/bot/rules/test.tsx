import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { KeywordTestResult } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { FoundSelect } from '../../../parts/found-select'
import { PhonePreview } from '../../../parts/phone/preview'
import { t } from '../../../texts/texts'
import { AskField } from '../ask-field'
import { shownAnswer } from './answer'
import { reasonOf } from './place'

const EVERY = 'every'

/** A field that tells what a customer would get for a text, and why. */
export function TestField({ onTried }: { onTried: (result: KeywordTestResult | null) => void }) {
  const [account, setAccount] = useState(EVERY)
  return (
    <section className="section" aria-label={t('bot.rules.test')}>
      <AskField<KeywordTestResult>
        label={t('bot.rules.test')}
        placeholder={t('bot.rules.test-example')}
        action={t('bot.rules.try')}
        beside={
          <FoundSelect
            kind="account"
            label={t('bot.rules.number')}
            isHiddenIfEmpty
            first={[{ id: EVERY, label: t('bot.rules.any-number') }]}
            value={account}
            onChange={setAccount}
          />
        }
        onAsk={async (text) => {
          onTried(null)
          const body = { text, ...(account === EVERY ? {} : { account_id: account }) }
          const result = await call('POST /api/chatbot/keywords/test', { body })
          onTried(result)
          return result
        }}
      >
        {(result, text) => <Outcome result={result} text={text} />}
      </AskField>
    </section>
  )
}

/** The rule that answers, why, and the others that match. */
function Outcome({ result, text }: { result: KeywordTestResult; text: string }) {
  const { winner, matches, skipped } = result
  if (winner === null)
    return (
      <p>
        {t('bot.rules.nobody', { text })}
        {skipped.length > 0 && <> {t('bot.rules.skipped', { count: skipped.length })}</>}
      </p>
    )
  const others = matches.slice(1)
  return (
    <div className="with-phone">
      <div>
        <p>
          <b>
            <Link to="/bot/rules/$ruleId" params={{ ruleId: winner.id }} dir="auto">
              {winner.name}
            </Link>
          </b>{' '}
          {t('bot.rules.wins', { keyword: winner.keyword })}{' '}
          {t(`bot.rules.why.${reasonOf(matches)}`, {
            count: matches.length,
            priority: winner.priority,
          })}
        </p>
        {others.length > 0 && (
          <>
            <p className="muted small">{t('bot.rules.others')}</p>
            <ol className="rule-others">
              {others.map(({ id, name, keyword, priority }) => (
                <li key={id}>
                  <Link to="/bot/rules/$ruleId" params={{ ruleId: id }} dir="auto">
                    {name}
                  </Link>{' '}
                  <span className="muted small">
                    {t('bot.rules.matches', { keyword, priority })}
                  </span>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
      <Answer id={winner.id} />
    </div>
  )
}

/** What the customer gets of a rule, on the phone. */
function Answer({ id }: { id: string }) {
  const rule = useApi('GET /api/chatbot/keywords/{id}', { params: { id } }).data
  const shown = rule && shownAnswer(rule)
  return shown ? <PhonePreview label={t('bot.rules.preview')} message={shown} /> : null
}
