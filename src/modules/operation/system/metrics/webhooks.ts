import type { Deps } from '../../../../infra/ctx'
import { bytesToUuid } from '../../../../infra/db/uuid'

/** Maximum number of jobs counted in each state, because their kind is in no index. */
const MAX_JOBS = 10_000

/** A delivery is pending as long as its job exists: due, waiting for its next attempt, or its turn. */
const PENDING = `select organization, count(*) as n from (
  select * from (select organization_id as organization from jobs
    where queue = 'webhooks' and state = 'available' and is_blocked = 0 limit ?1)
  union all select organization from (select organization_id as organization, kind from jobs
    where state in ('scheduled', 'retryable') and gate_key <> '' limit ?1) where kind = 'webhook.deliver'
  union all select organization from (select organization_id as organization, kind from jobs
    where is_blocked = 1 limit ?1) where kind = 'webhook.deliver'
) group by 1`

/** Endpoints that the server disabled. */
const DISABLED = `select count(*) as n from webhook_endpoints
  where deleted_at_ms is null and disabled_reason in ('failing_5_days', 'gone')`

/** Reads the metrics of customer endpoints. */
export function lookAtWebhooks({ metrics, db, settings }: Deps): void {
  metrics.webhookPending.reset()
  const pending = db.sqlite
    .query<{ organization: Uint8Array; n: number }, [number]>(PENDING)
    .all(MAX_JOBS)
  for (const { organization, n } of pending)
    metrics.webhookPending.inc(
      settings.hasMetricsPerOrganization ? { organization: bytesToUuid(organization) } : {},
      n,
    )
  metrics.webhookEndpointsDisabled.set(db.sqlite.query<{ n: number }, []>(DISABLED).get()?.n ?? 0)
}
