import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { HIDDEN } from '../../organization/audit/record'
import type { DeliveryView, EndpointView, ReplayView } from './model'
import type { DeliveryRow, EndpointRow, ReplayRow } from './row'

const readList = (written: string): string[] => JSON.parse(written) as string[]

/** The chosen event types and patterns of an endpoint. */
export const eventsOf = (row: Pick<EndpointRow, 'events'>): string[] => readList(row.events)

/** Event types and patterns that are or were chosen: of all of them there may be deliveries. */
export const allEventsOf = (row: Pick<EndpointRow, 'events' | 'pastEvents'>): string[] => [
  ...new Set([...readList(row.pastEvents), ...eventsOf(row)]),
]

/** The chosen phone numbers of an endpoint; none means all. */
export const accountsOf = (row: Pick<EndpointRow, 'accountIds'>): string[] =>
  readList(row.accountIds)

function endpointState(row: EndpointRow): EndpointView['state'] {
  if (row.disabledAtMs !== null) return 'disabled'
  if (row.downSinceMs !== null) return 'down'
  return row.failingSinceMs === null ? 'healthy' : 'failing'
}

/** Returns an endpoint as the API shows it, without secrets and values of headers. */
export function endpointView(row: EndpointRow, nowMs: number): EndpointView {
  const previousExpiresAtMs =
    row.previousExpiresAtMs !== null && row.previousExpiresAtMs > nowMs
      ? row.previousExpiresAtMs
      : null
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: eventsOf(row),
    account_ids: accountsOf(row),
    headers: Object.fromEntries(readList(row.headerNames).map((name) => [name, HIDDEN])),
    is_active: row.disabledAtMs === null,
    state: endpointState(row),
    failing_since: isoTimeOrNull(row.failingSinceMs),
    last_delivery_at: isoTimeOrNull(
      Math.max(row.lastSuccessAtMs ?? 0, row.lastFailureAtMs ?? 0) || null,
    ),
    disabled_at: isoTimeOrNull(row.disabledAtMs),
    disabled_reason: row.disabledReason,
    concurrency: row.concurrency,
    rate_per_second: row.ratePerSecond,
    ordering: row.ordering,
    include_phone_numbers: row.includePhoneNumbers,
    has_previous_secret: previousExpiresAtMs !== null,
    previous_expires_at: isoTimeOrNull(previousExpiresAtMs),
    created_by: row.createdBy,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}

/** Returns the `webhook-id` of a delivery: the same for its retries and when it is sent again. */
export const messageIdOf = (row: Pick<DeliveryRow, 'id' | 'originalId'>): string =>
  `msg_${row.originalId ?? row.id}`

/** Returns a delivery as the API shows it. */
export function deliveryView(
  row: DeliveryRow,
  { endpoint, isSending }: { endpoint: EndpointRow; isSending: boolean },
): DeliveryView {
  const isPending = row.state === 'pending'
  const isHeld = isPending && !isSending && endpoint.downSinceMs !== null
  return {
    id: row.id,
    message_id: messageIdOf(row),
    endpoint_id: row.endpointId,
    event: row.event,
    state: isHeld ? 'held' : isPending && isSending ? 'sending' : row.state,
    contact_id: row.contactId,
    created_at: isoTime(row.createdAtMs),
    next_attempt_at: isoTimeOrNull(isHeld ? endpoint.nextProbeAtMs : row.nextAttemptAtMs),
    attempt_count: row.attempts,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    delivered_at: isoTimeOrNull(row.deliveredAtMs),
    manual: row.isManual,
    replay_id: row.replayId,
  }
}

/** Returns a replay as the API shows it. */
export const replayView = (row: ReplayRow): ReplayView => ({
  id: row.id,
  state: row.state,
  total: row.total,
  delivered: row.delivered,
  failed: row.failed,
  from: isoTime(row.fromMs),
  to: isoTime(row.toMs),
})
