import { Link } from '@tanstack/react-router'

import type { WebhookEndpointWithStats } from '../../../api/shapes'
import { useNow } from '../../../live/use-now'
import { Section } from '../../../parts/page'
import { Trouble } from '../../../parts/state'
import { formatDateTime, formatDuration, formatNumber, formatPercent } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'

interface Props {
  endpoint: WebhookEndpointWithStats
}

const MINUTE_MS = 60_000
const timeOf = (at: string | null): string | null => at && formatDateTime(at)
const msOf = (ms: number | null): string | null =>
  ms === null ? null : t('webhooks.ms', { ms: formatNumber(ms) })

/** What is wrong with an endpoint and what happens next, in a sentence; `null` if all is well. */
function troubleOf({ state, disabled_reason: reason, ...endpoint }: Props['endpoint']) {
  if (state === 'healthy') return null
  if (state === 'disabled')
    return t(`webhooks.disabled.${reason ?? 'manual'}`, {
      time: timeOf(endpoint.disabled_at) ?? '',
    })
  return t(`webhooks.trouble.${state}`, { time: timeOf(endpoint.failing_since) ?? '' })
}

/** How an endpoint works: what is wrong, and the figures of a day. */
export function Status({ endpoint }: Props) {
  useNow(MINUTE_MS) // times that read as "today" change at midnight
  const { stats, id } = endpoint
  const trouble = troubleOf(endpoint)
  const rate = stats.success_rate
  const waits = stats.oldest_pending_seconds
  return (
    <>
      <Section
        title={t('webhooks.figures')}
        actions={
          <Link
            className="button plain"
            to="/settings/webhooks/$endpointId/deliveries"
            params={{ endpointId: id }}
            search={{}}
          >
            {t('webhooks.show-deliveries')}
          </Link>
        }
      >
        {trouble !== null && <Trouble>{trouble}</Trouble>}
        <Facts
          facts={[
            [t('webhooks.fact.delivered'), formatNumber(stats.delivered)],
            [t('webhooks.fact.failed'), formatNumber(stats.failed)],
            [t('webhooks.fact.rate'), rate === null ? null : formatPercent(rate / 100)],
            [t('webhooks.fact.pending'), formatNumber(stats.pending)],
            [t('webhooks.fact.oldest'), waits === null ? null : formatDuration(waits * 1_000)],
            [t('webhooks.fact.p50'), msOf(stats.p50_ms)],
            [t('webhooks.fact.p95'), msOf(stats.p95_ms)],
            [t('webhooks.fact.success'), timeOf(stats.last_success_at)],
            [t('webhooks.fact.failure'), timeOf(stats.last_failure_at)],
          ]}
        />
      </Section>
    </>
  )
}
