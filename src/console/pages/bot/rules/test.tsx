import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { KeywordTestResult } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Form, TextField } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { PhonePreview } from '../../../parts/phone/preview'
import { sentenceOf, Trouble } from '../../../parts/state'
import { t } from '../../../texts/texts'
import { shownAnswer } from './answer'
import { reasonOf } from './place'

/** What was asked, and what the server said. */
export interface Tried {
  text: string
  result: KeywordTestResult
}

const EVERY = 'every'

interface Props {
  tried: Tried | null
  onTried: (tried: Tried | null) => void
}

/** A field that tells what a customer would get for a text, and why. */
export function TestField({ tried, onTried }: Props) {
  const [text, setText] = useState('')
  const [account, setAccount] = useState(EVERY)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const ask = (): void => {
    setBusy(true)
    setError(null)
    const body = { text, ...(account === EVERY ? {} : { account_id: account }) }
    call('POST /api/chatbot/keywords/test', { body })
      .then((result) => {
        onTried({ text, result })
      })
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <section className="section rule-test" aria-label={t('bot.rules.test')}>
      <Form onSubmit={ask}>
        <div className="rule-test-fields">
          <TextField
            name="text"
            label={t('bot.rules.test')}
            placeholder={t('bot.rules.test-example')}
            value={text}
            maxLength={4_096}
            isRequired
            onChange={(written) => {
              setText(written)
              onTried(null)
            }}
          />
          <FoundSelect
            kind="account"
            label={t('bot.rules.number')}
            isHiddenIfEmpty
            first={[{ id: EVERY, label: t('bot.rules.any-number') }]}
            value={account}
            onChange={setAccount}
          />
          <Button type="submit" isPending={isBusy}>
            {t('bot.rules.try')}
          </Button>
        </div>
        {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      </Form>
      <div role="status">{tried && <Outcome tried={tried} />}</div>
    </section>
  )
}

/** The rule that answers, why, and the others that match. */
function Outcome({ tried: { text, result } }: { tried: Tried }) {
  const { winner, matches, skipped } = result
  if (winner === null)
    return (
      <p className="rule-outcome">
        {t('bot.rules.nobody', { text })}
        {skipped.length > 0 && <> {t('bot.rules.skipped', { count: skipped.length })}</>}
      </p>
    )
  const others = matches.slice(1)
  return (
    <div className="rule-outcome with-phone">
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
