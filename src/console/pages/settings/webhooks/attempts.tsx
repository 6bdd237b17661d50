import type { WebhookAttempt } from '../../../api/shapes'
import { Disclosure } from '../../../parts/disclosure'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'

/** What a request came to, in a sentence. */
function resultOf({ status_code: status, error_kind: kind }: WebhookAttempt): string {
  const answer = status === null ? null : t('webhooks.answered', { status: String(status) })
  if (kind === null || kind === 'status') return answer ?? t('webhooks.no-answer')
  return [answer, t(`webhooks.error.${kind}`)].filter((one) => one !== null).join(' · ')
}

const Headers = ({ title, headers }: { title: string; headers: Record<string, string> | null }) =>
  headers && (
    <Disclosure title={title}>
      {() => (
        <Facts
          facts={Object.entries(headers).map(([name, value]) => [
            name,
            <code key={name} dir="ltr">
              {value}
            </code>,
          ])}
        />
      )}
    </Disclosure>
  )

/** Each request of a delivery with its answer, as the receiver wrote it. */
export const Attempts = ({ attempts }: { attempts: readonly WebhookAttempt[] }) => (
  <ol className="attempts">
    {attempts.map((attempt) => (
      <li key={attempt.number}>
        <p>
          <b>{resultOf(attempt)}</b>
        </p>
        <p className="muted small">
          {t('webhooks.attempt', {
            number: formatNumber(attempt.number),
            time: formatDateTime(attempt.at),
            ms: formatNumber(attempt.duration_ms),
          })}
        </p>
        {attempt.response_excerpt !== null && attempt.response_excerpt !== '' && (
          <pre className="answer" dir="auto" aria-label={t('webhooks.answer')} tabIndex={0}>
            {attempt.response_excerpt}
          </pre>
        )}
        <Headers title={t('webhooks.headers-sent')} headers={attempt.request_headers} />
        <Headers title={t('webhooks.headers-answered')} headers={attempt.response_headers} />
      </li>
    ))}
  </ol>
)
