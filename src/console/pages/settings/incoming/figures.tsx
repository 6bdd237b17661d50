import { useApi } from '../../../live/query'
import { formatDuration, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt className="muted small">{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** What WhatsApp sent in a day, and how fast this server took it. */
export function Figures() {
  const stats = useApi('GET /api/inbound/stats', { query: {} }).data
  if (!stats) return null
  const p50 = stats.ack_p50_ms
  const waits = stats.oldest_pending_age_ms
  return (
    <dl className="figure-row" aria-label={t('incoming.figures')}>
      <Figure name={t('incoming.fact.received')} value={formatNumber(stats.received)} />
      <Figure name={t('incoming.fact.duplicates')} value={formatNumber(stats.duplicates)} />
      <Figure name={t('incoming.fact.failed')} value={formatNumber(stats.failed)} />
      <Figure name={t('incoming.fact.unrouted')} value={formatNumber(stats.unrouted)} />
      {p50 !== null && (
        <Figure name={t('incoming.fact.ack')} value={t('webhooks.ms', { ms: formatNumber(p50) })} />
      )}
      {waits > 0 && <Figure name={t('incoming.fact.oldest')} value={formatDuration(waits)} />}
    </dl>
  )
}
