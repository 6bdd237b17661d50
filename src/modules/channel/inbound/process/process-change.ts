import { and, eq, lt } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { ReadChange } from '../../../../platform/webhook/body'
import { recordAccountErrorIn, touchInboundIn } from '../../accounts/record-activity'
import { recordSharingIn, recordStandbyIn } from '../../accounts/routing/shared-number'
import { countUnknownFieldIn } from '../../accounts/unknown-fields'
import type { AccountRow } from '../../accounts/view'
import { processItemIn } from './apply-item'
import { eraseSuppressedPeopleIn } from '../journal/erase'
import { countIn } from '../stats/hourly'
import { itemsOf, peopleOf, type Item } from './items'
import { routeOf } from './route'
import { writeEventIn, type InboundEventRow } from '../journal/row'
import { NOT_SIGNED_FOR, RECEIVED_ELSEWHERE } from '../select'
import { inboundEvents, isNotDone } from '../table'
import { addCounts, finalColumns, finish, writeProgress, withAttempt } from './progress'
import { type ProcessOptions, type Part, type Progress, DONE } from './part'

/**
 * Items processed in one transaction. The platform batches up to a thousand, and a smaller batch
 * lets other work run in between.
 */
const BATCH_SIZE = 25
const byId = compiled((orm) =>
  orm
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        eq(inboundEvents.id, place(inboundEvents.id, 'id')),
      ),
    )
    .prepare(),
)

/**
 * Processes a batch of a stored change from item `from` on, in the caller's transaction. Applies
 * each item on its own, so that one bad item does not affect the others. Adds a row for each
 * further organization the change concerns. Does nothing if the change is no longer pending, so
 * running twice is safe.
 */
export function processChangeIn(tx: Tx, deps: Deps, part: Part): Progress {
  const event = byId(deps.db).get({ id: part.eventId })
  if (!event || (event.state !== 'pending' && event.state !== 'processing')) return DONE
  return applyChangeIn(tx, deps, event, {
    ...part,
    write: (row) => writeProgress(deps.db).run({ ...row }),
  })
}

/**
 * Processes a change that was just received and inserts its row with the result, in the caller's
 * transaction. Inserts nothing if the change must wait for an earlier one.
 */
export const processNewChangeIn = (tx: Tx, deps: Deps, event: InboundEventRow): Progress =>
  applyChangeIn(tx, deps, event, {
    write: (row) => writeEventIn(tx, deps, row),
    from: 0,
    isReplay: false,
    mayWait: () => true,
  })

function applyChangeIn(
  tx: Tx,
  deps: Deps,
  event: InboundEventRow,
  options: ProcessOptions,
): Progress {
  const read = changeOf(deps, event)
  if (!read)
    return finish(tx, deps, event, options.write, {
      state: 'failed',
      lastError: 'the change is missing from the body',
    })
  const { signedBy, cell } = deps.recentBodies.read(deps, event.bodyId)
  const route = routeOf(deps, read, signedBy)
  if (route.isForged)
    return finish(tx, deps, event, options.write, { state: 'ignored', reason: NOT_SIGNED_FOR })
  // A change stays with the organization it was first routed to, even if the phone number moves.
  const accounts = route.accounts.filter(
    ({ organizationId }) =>
      event.organizationId === null || event.organizationId === organizationId,
  )
  const [first] = accounts
  if (!first) {
    const reason = cell === '' ? null : RECEIVED_ELSEWHERE
    return finish(tx, deps, event, options.write, { state: 'unrouted', reason })
  }
  const shared = event.organizationId === null ? shareIn(tx, deps, event, accounts) : []
  const routed = { ...event, organizationId: first.organizationId, accountId: first.id }
  const isFirstRouting = options.isReplay && event.organizationId === null && shared.length === 0
  const change = isFirstRouting
    ? withoutErasedIn(tx, systemCtx(deps, first.organizationId), event, read)
    : read
  const items = itemsOf(change)
  if (items === null) {
    if (change.field !== null && event.attempts === 0)
      for (const account of accounts.filter((row) => row.organizationId === first.organizationId))
        countUnknownFieldIn(tx, systemCtx(deps, account.organizationId), account, {
          field: change.field,
          receivedAtMs: event.receivedAtMs,
        })
    return {
      ...finish(tx, deps, routed, options.write, { state: 'ignored', reason: 'field_not_handled' }),
      shared,
    }
  }
  if (options.from === 0 && isBehind(deps, event, items) && options.mayWait())
    return { next: null, mustWait: true, shared }
  const own: [AccountRow, ...AccountRow[]] = [
    first,
    ...accounts.filter((row) => row !== first && row.organizationId === first.organizationId),
  ]
  const next = processBatchIn(tx, systemCtx(deps, first.organizationId), routed, {
    change,
    accounts: own,
    items,
    options,
    isDelayed: options.isReplay || cell !== '',
  })
  return { next, mustWait: false, shared }
}

/**
 * Returns a change that was unrouted until now, without the people erased since it was received.
 */
function withoutErasedIn(tx: Tx, ctx: Ctx, event: InboundEventRow, change: ReadChange): ReadChange {
  eraseSuppressedPeopleIn(tx, ctx, event)
  return changeOf(ctx, event) ?? change
}

/** Returns the change of a journal row, or `null` if the body does not contain it. */
export const changeOf = (
  deps: Pick<Deps, 'db' | 'recentBodies'>,
  event: InboundEventRow,
): ReadChange | null =>
  deps.recentBodies.read(deps, event.bodyId).changeAt(event.entryIndex, event.changeIndex)

/**
 * Adds a row for each further organization a change concerns, so that each organization sees and
 * replays only its own.
 */
function shareIn(
  tx: Tx,
  deps: Deps,
  event: InboundEventRow,
  accounts: AccountRow[],
): Progress['shared'] {
  const [, ...others] = new Set(accounts.map(({ organizationId }) => organizationId))
  return others.map((organizationId) => {
    const eventId = deps.ids.next()
    tx.insert(inboundEvents)
      .values({ ...event, id: eventId, organizationId, state: 'pending' })
      .run()
    return { eventId, organizationId }
  })
}

const earlierInProgress = compiled((orm) =>
  orm
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        and(
          isNotDone,
          eq(inboundEvents.state, 'processing'),
          eq(inboundEvents.phoneNumberId, place(inboundEvents.phoneNumberId, 'phoneNumberId')),
          lt(inboundEvents.id, place(inboundEvents.id, 'id')),
        ),
      ),
    )
    .prepare(),
)

/**
 * Whether an earlier change of the same phone number is partly processed and has remaining items
 * about the same people.
 */
function isBehind(deps: Deps, event: InboundEventRow, items: Item[]): boolean {
  const people = new Set(items.flatMap(peopleOf))
  if (event.phoneNumberId === null || people.size === 0) return false
  const inProgress = earlierInProgress(deps.db).all({
    phoneNumberId: event.phoneNumberId,
    id: event.id,
  })
  return inProgress.some((earlier) => {
    const change = changeOf(deps, earlier)
    const left = change ? (itemsOf(change) ?? []).slice(processedCount(earlier)) : []
    return left.some((item) => peopleOf(item).some((id) => people.has(id)))
  })
}

const processedCount = ({ messages, statuses, errors, other }: InboundEventRow): number =>
  messages + statuses + errors + other

interface ChangeBatch {
  change: ReadChange
  accounts: [AccountRow, ...AccountRow[]]
  items: Item[]
  options: ProcessOptions
  /** Whether it is replayed or was passed on by another cell, and may be old. */
  isDelayed: boolean
}

/**
 * Processes the next items of a change in its organization. Returns the item to continue from, or
 * `null` when the change is finished.
 */
function processBatchIn(
  tx: Tx,
  ctx: Ctx,
  event: InboundEventRow,
  { change, accounts, items, options, isDelayed }: ChangeBatch,
): number | null {
  const { receivedAtMs } = event
  if (options.from === 0) recordArrivalIn(tx, ctx, accounts[0], { change, receivedAtMs })
  const slice = items.slice(options.from, options.from + BATCH_SIZE)
  const outcomes = slice
    .map((item) => processItemIn(tx, ctx, { change, accounts, receivedAtMs, isDelayed }, item))
    .filter((outcome) => outcome !== null)
  const next = options.from + slice.length
  const isDone = next >= items.length
  const end = finalColumns(event, items.length, outcomes, ctx.clock.nowMs())
  if (isDone && end.state === 'failed' && !options.isReplay)
    countIn(tx, ctx, { ...event, failed: 1 })
  options.write(
    withAttempt(event, {
      ...addCounts(event, slice, outcomes),
      ...(isDone ? end : { state: 'processing' as const }),
    }),
  )
  return isDone ? null : next
}

/**
 * Records that the platform delivered a change for a phone number, and whether it names a different
 * business account than the configured one.
 */
function recordArrivalIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  { change, receivedAtMs }: { change: ReadChange; receivedAtMs: number },
): void {
  if (change.phoneNumberId === null) return
  touchInboundIn(tx, ctx, account)
  if (change.field === 'standby') recordStandbyIn(tx, ctx, account, receivedAtMs)
  if (change.field === 'messaging_handovers') recordSharingIn(tx, ctx, account, receivedAtMs)
  // Test deliveries of the platform name no business account.
  if (
    change.businessId === null ||
    change.businessId === '0' ||
    change.businessId === account.businessId
  )
    return
  const code = 'business_id_differs'
  if (
    account.lastError !== null &&
    (JSON.parse(account.lastError) as { code: string }).code === code
  )
    return
  const message =
    'The platform delivers for this number under a different business account ID than the ' +
    'one configured.'
  recordAccountErrorIn(tx, ctx, account, { code, message })
}
