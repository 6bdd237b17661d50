import { and, eq, inArray, sql } from 'drizzle-orm'
import { acrossOrganizations, type Deps } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { ItemOutcome } from './apply-item'
import { countIn, countUnroutedIn } from '../stats/hourly'
import type { Item } from './items'
import { countOf, appendOutcomes } from './outcomes'
import type { InboundEventRow } from '../journal/row'
import { inboundEvents } from '../table'
import { DONE, type Progress, type Write } from './part'

/** Returns the counts and outcomes of a change after another batch of items. */
export function addCounts(event: InboundEventRow, slice: Item[], outcomes: ItemOutcome[]) {
  const number = (kind: Item['kind']): number => slice.filter((item) => item.kind === kind).length
  const known = JSON.parse(event.outcomes) as ItemOutcome[]
  return {
    messages: event.messages + number('message'),
    statuses: event.statuses + number('status'),
    errors: event.errors + number('error'),
    other: event.other + number('other'),
    outcomes: JSON.stringify(appendOutcomes(known, outcomes)),
  }
}

/** Returns the state, time and first error of a change whose items are all processed. */
export function finalColumns(
  event: InboundEventRow,
  total: number,
  outcomes: ItemOutcome[],
  nowMs: number,
) {
  const all = appendOutcomes(JSON.parse(event.outcomes) as ItemOutcome[], outcomes)
  const failed = all.filter(({ outcome }) => outcome === 'failed')
  const state =
    failed.length === 0
      ? ('done' as const)
      : countOf(failed) >= total
        ? ('failed' as const)
        : ('partial' as const)
  return { state, processedAtMs: nowMs, lastError: failed[0]?.reason ?? null }
}

/** Finishes a change without processing items. */
export function finish(
  tx: Tx,
  deps: Deps,
  event: InboundEventRow,
  write: Write,
  set: Partial<InboundEventRow>,
): Progress {
  if (event.attempts === 0 && set.state === 'unrouted')
    countUnroutedIn(tx, deps, { ...event, ...set }, 1)
  if (event.attempts === 0 && set.state === 'failed') countIn(tx, deps, { ...event, failed: 1 })
  write(withAttempt(event, { ...set, processedAtMs: deps.clock.nowMs() }))
  return DONE
}

const PROGRESS = [
  'organizationId',
  'accountId',
  'state',
  'reason',
  'messages',
  'statuses',
  'errors',
  'other',
  'outcomes',
  'lastError',
  'processedAtMs',
  'attempts',
] as const

export const writeProgress = compiled((orm) =>
  orm
    .update(inboundEvents)
    .set(Object.fromEntries(PROGRESS.map((column) => [column, sql.placeholder(column)])))
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        eq(inboundEvents.id, place(inboundEvents.id, 'id')),
      ),
    )
    .prepare(),
)

/** Returns the row with one more attempt and the result. */
export const withAttempt = (
  event: InboundEventRow,
  set: Partial<InboundEventRow>,
): InboundEventRow => ({
  ...event,
  ...set,
  attempts: event.attempts + 1,
})

/** Marks a change as failed. It stays visible and can be replayed. */
export function failChangeIn(tx: Tx, deps: Deps, eventId: string, reason: string): void {
  const failed = tx
    .update(inboundEvents)
    .set({ state: 'failed', lastError: reason.slice(0, 200), processedAtMs: deps.clock.nowMs() })
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        and(eq(inboundEvents.id, eventId), inArray(inboundEvents.state, ['pending', 'processing'])),
      ),
    )
    .returning()
    .all()
  for (const event of failed) countIn(tx, deps, { ...event, failed: 1 })
}
