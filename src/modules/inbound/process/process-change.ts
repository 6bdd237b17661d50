import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import type { ReadChange } from '../../../platform/webhook/body'
import { recordAccountErrorIn, touchInboundIn } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { processItemIn, type Outcome } from './apply-item'
import { forgetErasedSinceIn } from '../journal/erase'
import { countIn } from '../stats/hourly'
import { itemsOf, peopleOf, type Item } from './items'
import { countOf, joined } from './outcomes'
import { routeOf } from './route'
import { writeEventIn, type InboundEventRow } from '../journal/row'
import { NOT_SIGNED_FOR } from '../select'
import { inboundEvents } from '../table'

/**
 * Items of a change worked off in one go; the platform batches up to a thousand, and others wait
 * meanwhile.
 */
const ITEMS_AT_ONCE = 25

/**
 * How a row of the journal that changed is written: a new one is inserted, with what came of it.
 */
type Write = (row: InboundEventRow) => void

/** Which part of a change is to be worked off, and how. */
interface How {
  write: Write
  from: number
  isReplay: boolean
  /** Whether it may still wait for an earlier change about the same people that is under way. */
  mayWait: () => boolean
}

/** Which part of a journaled change is to be worked off, and how. */
export type Part = Omit<How, 'write'> & { eventId: string }

/**
 * How far a change has come: where to go on, whether it has to wait for an earlier one, and its
 * rows for further organizations.
 */
export interface Progress {
  next: number | null
  mustWait: boolean
  shared: { eventId: string; organizationId: string }[]
}

const DONE: Progress = { next: null, mustWait: false, shared: [] }

const byId = compiled((orm) =>
  orm
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        eq(inboundEvents.id, sql.placeholder('id')),
      ),
    )
    .prepare(),
)

/**
 * Works off a journaled change, or the part of it from item `from` on, in the caller's transaction:
 * each item in the organization of the number it came to, and each alone, so that one bad item
 * harms no other. A change for several organizations becomes a row of its own for each. A change
 * that is no longer pending is left alone, so running twice changes nothing.
 */
export function processChangeIn(tx: Tx, deps: Deps, part: Part): Progress {
  const event = byId(deps.db).get({ id: part.eventId })
  if (!event || (event.state !== 'pending' && event.state !== 'processing')) return DONE
  return workOffChangeIn(tx, deps, event, {
    ...part,
    write: (row) => writeProgress(deps.db).run({ ...row }),
  })
}

/**
 * Works off a change that came a moment ago, whose row is not written yet, in the caller's
 * transaction: the row is inserted with what came of it, unless it must wait for an earlier change;
 * then nothing is written.
 */
export const processNewChangeIn = (tx: Tx, deps: Deps, event: InboundEventRow): Progress =>
  workOffChangeIn(tx, deps, event, {
    write: (row) => writeEventIn(tx, deps, row),
    from: 0,
    isReplay: false,
    mayWait: () => true,
  })

function workOffChangeIn(tx: Tx, deps: Deps, event: InboundEventRow, how: How): Progress {
  const read = changeOf(deps, event)
  if (!read)
    return finish(tx, deps, event, how.write, {
      state: 'failed',
      lastError: 'the change is missing from the body',
    })
  const route = routeOf(deps, read, deps.recentBodies.read(deps, event.bodyId).signedBy)
  if (route.isForged)
    return finish(tx, deps, event, how.write, { state: 'ignored', reason: NOT_SIGNED_FOR })
  // A change that was an organization's once stays that organization's, whoever has the number now.
  const accounts = route.accounts.filter(
    ({ organizationId }) =>
      event.organizationId === null || event.organizationId === organizationId,
  )
  const [first] = accounts
  if (!first) return finish(tx, deps, event, how.write, { state: 'unrouted' })
  const shared = event.organizationId === null ? shareIn(tx, deps, event, accounts) : []
  const routed = { ...event, organizationId: first.organizationId, accountId: first.id }
  const isNews = how.isReplay && event.organizationId === null && shared.length === 0
  const change = isNews
    ? withoutErasedIn(tx, systemCtx(deps, first.organizationId), event, read)
    : read
  const items = itemsOf(change)
  if (items === null)
    return {
      ...finish(tx, deps, routed, how.write, { state: 'ignored', reason: 'field_not_handled' }),
      shared,
    }
  if (how.from === 0 && isBehind(deps, event, items) && how.mayWait())
    return { next: null, mustWait: true, shared }
  const own: [AccountRow, ...AccountRow[]] = [
    first,
    ...accounts.filter((row) => row !== first && row.organizationId === first.organizationId),
  ]
  const next = workOffIn(tx, systemCtx(deps, first.organizationId), routed, {
    change,
    accounts: own,
    items,
    how,
  })
  return { next, mustWait: false, shared }
}

/**
 * A change that waited for its number and becomes an organization's, without those who were erased
 * since it came in.
 */
function withoutErasedIn(tx: Tx, ctx: Ctx, event: InboundEventRow, change: ReadChange): ReadChange {
  forgetErasedSinceIn(tx, ctx, event)
  return changeOf(ctx, event) ?? change
}

/** The change a row of the journal stands for; `null` when the body lacks it. */
export const changeOf = (
  deps: Pick<Deps, 'db' | 'recentBodies'>,
  event: InboundEventRow,
): ReadChange | null =>
  deps.recentBodies.read(deps, event.bodyId).changeAt(event.entryIndex, event.changeIndex)

/**
 * A row of its own for each further organization a change concerns, so that each sees, replays and
 * fails its own only.
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

const underWayBefore = compiled((orm) =>
  orm
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        and(
          eq(inboundEvents.state, 'processing'),
          eq(inboundEvents.phoneNumberId, sql.placeholder('phoneNumberId')),
          lt(inboundEvents.id, sql.placeholder('id')),
        ),
      ),
    )
    .prepare(),
)

/**
 * Whether an earlier change of the same number, of which a part is done, still has something about
 * the same people.
 */
function isBehind(deps: Deps, event: InboundEventRow, items: Item[]): boolean {
  if (event.phoneNumberId === null) return false
  const underWay = underWayBefore(deps.db).all({ phoneNumberId: event.phoneNumberId, id: event.id })
  if (underWay.length === 0) return false
  const people = new Set(items.flatMap(peopleOf))
  return underWay.some((earlier) => {
    const change = changeOf(deps, earlier)
    const left = change ? (itemsOf(change) ?? []).slice(workedOff(earlier)) : []
    return left.some((item) => peopleOf(item).some((id) => people.has(id)))
  })
}

const workedOff = ({ messages, statuses, errors, other }: InboundEventRow): number =>
  messages + statuses + errors + other

interface Work {
  change: ReadChange
  accounts: [AccountRow, ...AccountRow[]]
  items: Item[]
  how: How
}

/**
 * Works off the next items of a change in its organization. Returns where to go on, or `null` when
 * it is done.
 */
function workOffIn(
  tx: Tx,
  ctx: Ctx,
  event: InboundEventRow,
  { change, accounts, items, how }: Work,
): number | null {
  const { receivedAtMs } = event
  if (how.from === 0) noteArrivalIn(tx, ctx, accounts[0], change)
  const slice = items.slice(how.from, how.from + ITEMS_AT_ONCE)
  const outcomes = slice
    .map((item) =>
      processItemIn(tx, ctx, { change, accounts, receivedAtMs, isReplay: how.isReplay }, item),
    )
    .filter((outcome) => outcome !== null)
  const next = how.from + slice.length
  const isDone = next >= items.length
  const end = endOf(event, items.length, outcomes, ctx.clock.nowMs())
  if (isDone && end.state === 'failed' && !how.isReplay) countIn(tx, ctx, { ...event, failed: 1 })
  how.write(
    tried(event, {
      ...tally(event, slice, outcomes),
      ...(isDone ? end : { state: 'processing' as const }),
    }),
  )
  return isDone ? null : next
}

/**
 * Remembers that the platform delivered something for a number, and that it names another business
 * account than we do.
 */
function noteArrivalIn(tx: Tx, ctx: Ctx, account: AccountRow, change: ReadChange): void {
  if (change.phoneNumberId === null) return
  touchInboundIn(tx, ctx, account)
  // The platform's own test deliveries name none.
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

function tally(event: InboundEventRow, slice: Item[], outcomes: Outcome[]) {
  const number = (kind: Item['kind']): number => slice.filter((item) => item.kind === kind).length
  const known = JSON.parse(event.outcomes) as Outcome[]
  return {
    messages: event.messages + number('message'),
    statuses: event.statuses + number('status'),
    errors: event.errors + number('error'),
    other: event.other + number('other'),
    outcomes: JSON.stringify(joined(known, outcomes)),
  }
}

function endOf(event: InboundEventRow, total: number, outcomes: Outcome[], nowMs: number) {
  const all = joined(JSON.parse(event.outcomes) as Outcome[], outcomes)
  const failed = all.filter(({ outcome }) => outcome === 'failed')
  const state =
    failed.length === 0
      ? ('done' as const)
      : countOf(failed) >= total
        ? ('failed' as const)
        : ('partial' as const)
  return { state, processedAtMs: nowMs, lastError: failed[0]?.reason ?? null }
}

/** Ends the work on a change without any item. */
function finish(
  tx: Tx,
  deps: Deps,
  event: InboundEventRow,
  write: Write,
  set: Partial<InboundEventRow>,
): Progress {
  if (event.attempts === 0 && set.state === 'unrouted') countIn(tx, deps, { ...event, unrouted: 1 })
  if (event.attempts === 0 && set.state === 'failed') countIn(tx, deps, { ...event, failed: 1 })
  write(tried(event, { ...set, processedAtMs: deps.clock.nowMs() }))
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

const writeProgress = compiled((orm) =>
  orm
    .update(inboundEvents)
    .set(Object.fromEntries(PROGRESS.map((column) => [column, sql`${sql.placeholder(column)}`])))
    .where(
      acrossOrganizations(
        'a change has no organization until it is routed',
        eq(inboundEvents.id, sql.placeholder('id')),
      ),
    )
    .prepare(),
)

/** A change that was tried once more, with what came of it. */
const tried = (event: InboundEventRow, set: Partial<InboundEventRow>): InboundEventRow => ({
  ...event,
  ...set,
  attempts: event.attempts + 1,
})

/** Writes down that a change could not be worked off; it stays visible and can be replayed. */
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
