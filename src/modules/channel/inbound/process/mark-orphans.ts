import { and, eq, isNotNull, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Deps } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { transact } from '../../../../infra/db/transact'
import { reactionOf, revisionOf } from '../../../../platform/webhook/reactions-and-edits'
import { messages } from '../../../inbox/messages/table'
import type { ItemOutcome } from './apply-item'
import { itemsOf, type Item } from './items'
import { countOf } from './outcomes'
import { changeOf } from './process-change'
import type { InboundEventRow } from '../journal/row'
import { inboundEvents } from '../table'

/**
 * Minimum time that statuses, reactions and edits wait for their message. After that the message is
 * not expected.
 */
const AWAITED_MS = DAY_MS

const BATCH = 100

/** Items checked in one transaction. The last change may exceed it. */
const MAX_ITEMS = 2_000

/**
 * Checks a batch of changes whose items have waited a day for their message. Clears the outcome if
 * the message has arrived and marks the item as an orphan otherwise. Returns the number of changes
 * checked.
 */
export function markOrphans(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const events = tx
      .select()
      .from(inboundEvents)
      .where(
        inWorkingOrganizations(
          'changes without their message are found for all organizations at once',
          inboundEvents,
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
          inWorkingOrganizations(
            'changes without their message are found for all organizations at once',
            inboundEvents,
            eq(inboundEvents.id, event.id),
          ),
        )
        .run()
      looked += 1
      items += countOf(JSON.parse(event.outcomes) as ItemOutcome[])
      if (items >= MAX_ITEMS) break
    }
    return looked
  })
}

/**
 * Returns the outcomes of a change with the parked ones resolved. Recounts parked items that are
 * only included in a total.
 */
function settledOutcomes(deps: Deps, event: InboundEventRow): ItemOutcome[] {
  const change = changeOf(deps, event)
  const nameOf = ({ kind, index }: Pick<Item, 'kind' | 'index'>): string => `${kind} ${index}`
  const known = JSON.parse(event.outcomes) as ItemOutcome[]
  const listed = new Set(known.map(nameOf))
  const hasUnlisted = known.some(({ outcome, more }) => outcome === 'parked' && more !== undefined)
  const awaited = ((change && itemsOf(change)) ?? []).flatMap((item) => {
    const id = hasUnlisted || listed.has(nameOf(item)) ? awaitedBy(item) : null
    return id === null ? [] : [{ item, isThere: hasMessage(deps, event, id) }]
  })
  const found = new Set(awaited.filter(({ isThere }) => isThere).map(({ item }) => nameOf(item)))
  const unlisted = awaited
    .filter(({ item, isThere }) => !isThere && !listed.has(nameOf(item)))
    .map(({ item }) => item)
  return known.flatMap(({ more, ...entry }) => {
    if (entry.outcome !== 'parked') return [{ ...entry, ...(more === undefined ? {} : { more }) }]
    const alike = more === undefined ? [] : unlisted.filter(({ kind }) => kind === entry.kind)
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

/** Returns the platform ID of the message an item waits for, or `null`. */
function awaitedBy({ content }: Item): string | null {
  if (content.of === 'status') return content.status.waMessageId
  const message =
    content.of === 'message' || content.of === 'echo'
      ? content.message
      : content.of === 'past'
        ? content.past.message
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
