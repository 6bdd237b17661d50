import { and, eq, isNotNull, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { acrossOrganizations, inOrganization, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { reactionOf, revisionOf } from '../../../platform/webhook/reactions-and-edits'
import { messages } from '../../messages/table'
import type { Outcome } from './apply-item'
import { itemsOf, type Item } from './items'
import { countOf } from './outcomes'
import { changeOf } from './process-change'
import type { InboundEventRow } from '../journal/row'
import { inboundEvents } from '../table'

/**
 * Statuses, reactions and edits wait for their message at least so long; afterwards nobody expects
 * the message any more.
 */
const AWAITED_MS = DAY_MS

const BATCH = 100

/** Items looked at in one transaction, a change more or less. */
const MAX_ITEMS = 2_000

/**
 * Looks again at what waited a day for its message, a batch of changes at a time: where the message
 * came there is nothing to tell any more, the others are orphans, which the journal shows. Returns
 * how many changes were looked at.
 */
export function markOrphans(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const events = tx
      .select()
      .from(inboundEvents)
      .where(
        acrossOrganizations(
          'changes without their message are found for all organizations at once',
          and(
            lt(inboundEvents.receivedAtMs, deps.clock.nowMs() - AWAITED_MS),
            sql`instr(${inboundEvents.outcomes}, '"parked"') > 0`,
            isNotNull(inboundEvents.organizationId),
          ),
        ),
      )
      .orderBy(inboundEvents.receivedAtMs)
      .limit(BATCH)
      .all()
    let looked = 0
    let items = 0
    for (const event of events) {
      tx.update(inboundEvents)
        .set({ outcomes: JSON.stringify(settledOutcomes(deps, event)) })
        .where(
          acrossOrganizations(
            'changes without their message are found for all organizations at once',
            eq(inboundEvents.id, event.id),
          ),
        )
        .run()
      looked += 1
      items += countOf(JSON.parse(event.outcomes) as Outcome[])
      if (items >= MAX_ITEMS) break
    }
    return looked
  })
}

/**
 * The outcomes of a change with those that waited settled; of those that were only counted all that
 * still wait are counted.
 */
function settledOutcomes(deps: Deps, event: InboundEventRow): Outcome[] {
  const change = changeOf(deps, event)
  const nameOf = ({ kind, index }: Pick<Item, 'kind' | 'index'>): string => `${kind} ${index}`
  const known = JSON.parse(event.outcomes) as Outcome[]
  const told = new Set(known.map(nameOf))
  const isAnyUntold = known.some(({ outcome, more }) => outcome === 'parked' && more !== undefined)
  const awaited = ((change && itemsOf(change)) ?? []).flatMap((item) => {
    const id = isAnyUntold || told.has(nameOf(item)) ? awaitedBy(item) : null
    return id === null ? [] : [{ item, isThere: hasMessage(deps, event, id) }]
  })
  const found = new Set(awaited.filter(({ isThere }) => isThere).map(({ item }) => nameOf(item)))
  const untold = awaited
    .filter(({ item, isThere }) => !isThere && !told.has(nameOf(item)))
    .map(({ item }) => item)
  return known.flatMap(({ more, ...entry }) => {
    if (entry.outcome !== 'parked') return [{ ...entry, ...(more === undefined ? {} : { more }) }]
    const alike = more === undefined ? [] : untold.filter(({ kind }) => kind === entry.kind)
    const [first, ...others] = [...(found.has(nameOf(entry)) ? [] : [entry]), ...alike]
    if (!first) return []
    return [
      {
        ...entry,
        index: first.index,
        outcome: 'orphan' as const,
        ...(others.length > 0 ? { more: others.length } : {}),
      },
    ]
  })
}

/** The platform's id of the message an item waits for; `null` of one that waits for none. */
function awaitedBy({ told }: Item): string | null {
  if (told.of === 'status') return told.status.waMessageId
  const message =
    told.of === 'message' || told.of === 'echo'
      ? told.message
      : told.of === 'past'
        ? told.past.message
        : null
  return message && ((reactionOf(message) ?? revisionOf(message))?.targetId ?? null)
}

const hasMessage = (
  deps: Deps,
  { organizationId, accountId }: InboundEventRow,
  waMessageId: string,
): boolean =>
  organizationId !== null &&
  deps.db.orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        { organizationId },
        messages,
        and(eq(messages.accountId, accountId ?? ''), eq(messages.waMessageId, waMessageId)),
      ),
    )
    .get() !== undefined
