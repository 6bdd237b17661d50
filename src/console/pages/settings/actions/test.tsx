import { useState } from 'react'

import { call, type Data } from '../../../api/client'
import { Button } from '../../../parts/button'
import { ContactSelect, type ChosenContact } from '../../../parts/contact/contact-select'
import { Section } from '../../../parts/page'
import { sentenceOf, Trouble } from '../../../parts/state'
import { formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { configOf, type Values } from './values'

type Result = Data<'POST /api/custom-actions/{id}/test'>

const Text = ({ label, text }: { label: string; text: string }) => (
  <pre className="answer" dir="auto" aria-label={label} tabIndex={0}>
    {text}
  </pre>
)

/** Returns what a program answered as it can be read. */
const readable = (body: unknown): string =>
  typeof body === 'string' ? body : JSON.stringify(body, null, 2)

const isGood = (status: number): boolean => status >= 200 && status < 300

/** What was sent, and what came back. */
function Outcome({ result, isCalled }: { result: Result; isCalled: boolean }) {
  const { request, response, failure, duration_ms: tookMs } = result
  if (!request) return <Trouble>{t('actions.test.nothing')}</Trouble>
  return (
    <div role="status" className="test-result">
      <h3>{t(isCalled ? 'actions.test.sent' : 'actions.test.opens')}</h3>
      <p className="wrapped">
        <code dir="ltr">{isCalled ? `${request.method} ${request.url}` : request.url}</code>
      </p>
      {Object.entries(request.headers).map(([name, value]) => (
        <p key={name} className="muted small wrapped">
          <code dir="ltr">{[name, value].join(': ')}</code>
        </p>
      ))}
      {request.body !== null && request.body !== '' && (
        <Text label={t('actions.test.request-body')} text={request.body} />
      )}
      {response && (
        <>
          <p className={`chip ${isGood(response.status) ? 'good' : 'danger'}`}>
            {t('actions.test.answered', {
              status: String(response.status),
              ms: formatNumber(tookMs),
            })}
          </p>
          {response.body !== null && (
            <Text label={t('actions.test.answer-body')} text={readable(response.body)} />
          )}
        </>
      )}
      {failure !== null && (
        <p className="chip danger">{t('actions.test.failed', { reason: failure })}</p>
      )}
    </div>
  )
}

/** Tries an action as the form stands with the values of a contact, and shows request and answer. */
export function ActionTest({ id, values }: { id: string; values: Values }) {
  const [contact, setContact] = useState<ChosenContact | null>(null)
  const [result, setResult] = useState<Result | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isCalled = values.action_type === 'webhook'
  const run = (): void => {
    if (!contact) return
    setBusy(true)
    setError(null)
    setResult(null)
    call('POST /api/custom-actions/{id}/test', {
      params: { id },
      body: {
        contact_id: contact.id,
        action_type: values.action_type,
        config: configOf(values),
      },
    })
      .then(setResult)
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Section
      title={t('actions.test')}
      hint={t(isCalled ? 'actions.test-hint' : 'actions.test-hint-url')}
    >
      <div className="form">
        <ContactSelect label={t('actions.test.contact')} value={contact} onChange={setContact} />
        <div>
          <Button icon="send" isDisabled={!contact} isPending={isBusy} onPress={run}>
            {t('actions.test.run')}
          </Button>
        </div>
        {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
        {result && <Outcome result={result} isCalled={isCalled} />}
      </div>
    </Section>
  )
}
