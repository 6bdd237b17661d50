import { and, eq, gte, inArray, sql } from 'drizzle-orm'

import { systemCtx, type Ctx, type Deps } from '../../infra/ctx'
import { compiled, isStorageTrouble, savepoint, type Tx } from '../../infra/db'
import {
  readChanges,
  readMessages,
  readStatuses,
  readValueErrors,
  type BrokenItem,
  type Fault,
  type InboundMessage,
  type InboundStatus,
  type ReadChange,
} from '../../platform/payload'
import { describePlatformError, classify } from '../../platform/errors'
import { recordAccountErrorIn, routeByBusinessId, routeByPhoneId, touchInboundIn } from '../accounts/state'
import type { AccountRow } from '../accounts/view'
import { receiveMessageIn } from '../messages/receive'
import { applyStatusIn } from '../messages/statuses'
import { recentBodies } from './bodies'
import { inboundEvents } from './table'

/** A change as the journal holds it. */
export type InboundEventRow = typeof inboundEvents.$inferSelect

/** Items of a change worked off in one go; the platform batches up to a thousand, and others wait meanwhile. */
const ITEMS_AT_ONCE = 25

/** What is kept of items that did not simply take effect, so many of one change. */
const MOST_OUTCOMES = 200

type Item =
  | { kind: 'message'; index: number; item: InboundMessage | BrokenItem }
  | { kind: 'status'; index: number; item: InboundStatus | BrokenItem }
  | { kind: 'error'; index: number; item: Fault }

interface Outcome {
  kind: Item['kind']
  index: number
  outcome: 'duplicate' | 'parked' | 'not_a_message' | 'failed'
  reason?: string
}

const byId = compiled((orm) =>
  orm
    .select()
    .from(inboundEvents)
    .where(eq(inboundEvents.id, sql.placeholder('id')))
    .prepare(),
)

/** The journaled change with this id; `null` when there is none. */
const findInboundEvent = (deps: Pick<Deps, 'db'>, id: string): InboundEventRow | null => byId(deps.db).get({ id }) ?? null

/**
 * Works off a journaled change, or the part of it from item `from` on, in the caller's transaction: each message, status and error
 * in the organization of the number it came to, and each alone, so that one bad item harms no other. Returns where to go on, or
 * `null` when the change is done. A change that is no longer pending is left alone, so running twice changes nothing.
 */
export function processChangeIn(tx: Tx, deps: Deps, at: { eventId: string; from: number }): number | null {
  const event = findInboundEvent(deps, at.eventId)
  if (!event || (event.state !== 'pending' && event.state !== 'processing')) return null
  const change = readChanges(recentBodies(deps).read(deps, event.bodyId)).find(
    ({ entryIndex, changeIndex }) => entryIndex === event.entryIndex && changeIndex === event.changeIndex,
  )
  if (!change) return finish(tx, deps, event, { state: 'failed', lastError: 'the change is not in the body' })
  const account = routeOf(deps, change)
  if (!account) return finish(tx, deps, event, { state: 'unrouted' })
  const routed = { organizationId: account.organizationId, accountId: account.id }
  if (change.field !== 'messages') return finish(tx, deps, event, { ...routed, state: 'ignored', reason: 'field_not_handled' })

  const ctx = systemCtx(deps, account.organizationId)
  touchInboundIn(tx, ctx, account)
  const items = itemsOf(change)
  const slice = items.slice(at.from, at.from + ITEMS_AT_ONCE)
  const outcomes = slice
    .map((item) => processItem(tx, ctx, { account, item, receivedAtMs: event.receivedAtMs }))
    .filter((outcome) => outcome !== null)
  const next = at.from + slice.length
  const isDone = next >= items.length
  write(tx, deps, event, {
    ...routed,
    ...tally(event, slice, outcomes),
    ...(isDone ? endOf(event, items.length, outcomes, deps.clock.nowMs()) : { state: 'processing' as const }),
  })
  return isDone ? null : next
}

/**
 * The account a change belongs to: by its number, else, where it names none, by its business account. Nothing else routes. Messages
 * and statuses always name their number: several organizations can have numbers of one business account.
 */
function routeOf(deps: Deps, change: ReadChange): AccountRow | null {
  if (change.phoneNumberId !== null) return routeByPhoneId(deps, change.phoneNumberId)
  if (change.field === 'messages') return null
  return change.businessId === null ? null : (routeByBusinessId(deps, change.businessId)[0] ?? null)
}

/** The items of a change: messages in the order customers wrote them, then statuses, then errors of the number. */
function itemsOf(change: ReadChange): Item[] {
  const { value } = change
  const known = typeof value === 'object' && value !== null ? itemsByValue.get(value) : undefined
  if (known) return known
  const items = readItems(change)
  if (typeof value === 'object' && value !== null) itemsByValue.set(value, items)
  return items
}

/** A change is worked off in parts; its items are read once, as long as its body is at hand. */
const itemsByValue = new WeakMap<object, Item[]>()

function readItems(change: ReadChange): Item[] {
  const messages = readMessages(change.value).map((item, index): Item => ({ kind: 'message', index, item }))
  const sorted = messages.toSorted((a, b) => timeOf(a) - timeOf(b))
  const statuses = readStatuses(change.value).map((item, index): Item => ({ kind: 'status', index, item }))
  const errors = readValueErrors(change.value).map((item, index): Item => ({ kind: 'error', index, item }))
  return [...sorted, ...statuses, ...errors]
}

const timeOf = ({ item }: Item): number => ('timestampMs' in item ? (item.timestampMs ?? Infinity) : Infinity)

/** One item in a savepoint of its own. `null`: it simply took effect. Trouble of the storage is not the item's fault and goes on up. */
function processItem(tx: Tx, ctx: Ctx, what: { account: AccountRow; item: Item; receivedAtMs: number }): Outcome | null {
  const { kind, index } = what.item
  try {
    return savepoint(tx, (inner) => applyItem(inner, ctx, what))
  } catch (error) {
    if (isStorageTrouble(error)) throw error
    ctx.log.error({ error, organization_id: ctx.organizationId, kind, index }, 'an inbound item failed')
    return { kind, index, outcome: 'failed', reason: error instanceof Error ? error.message.slice(0, 200) : 'failed' }
  }
}

function applyItem(tx: Tx, ctx: Ctx, what: { account: AccountRow; item: Item; receivedAtMs: number }): Outcome | null {
  const { account, receivedAtMs } = what
  const { kind, index, item } = what.item
  if (kind === 'error') {
    const words = describePlatformError(
      item.code,
      item.code === null ? 'other' : classify({ code: item.code, subcode: null, httpStatus: null }),
    )
    recordAccountErrorIn(tx, ctx, account, { code: words.code, message: words.message })
    return null
  }
  if ('broken' in item) return { kind, index, outcome: 'failed', reason: item.broken }
  if (kind === 'message') {
    const receipt = receiveMessageIn(tx, ctx, { account, message: item, receivedAtMs })
    return receipt.outcome === 'stored' ? null : { kind, index, outcome: receipt.outcome }
  }
  const receipt = applyStatusIn(tx, ctx, { account, status: item, receivedAtMs })
  return receipt.outcome === 'applied' ? null : { kind, index, outcome: 'parked' }
}

function tally(event: InboundEventRow, slice: Item[], outcomes: Outcome[]) {
  const countOf = (kind: Item['kind']): number => slice.filter((item) => item.kind === kind).length
  const known = JSON.parse(event.outcomes) as Outcome[]
  return {
    messages: event.messages + countOf('message'),
    statuses: event.statuses + countOf('status'),
    errors: event.errors + countOf('error'),
    outcomes: JSON.stringify([...known, ...outcomes].slice(0, MOST_OUTCOMES)),
  }
}

function endOf(event: InboundEventRow, total: number, outcomes: Outcome[], nowMs: number) {
  const all = [...(JSON.parse(event.outcomes) as Outcome[]), ...outcomes]
  const failed = all.filter(({ outcome }) => outcome === 'failed')
  const state = failed.length === 0 ? ('done' as const) : failed.length >= total ? ('failed' as const) : ('partial' as const)
  return { state, processedAtMs: nowMs, lastError: failed[0]?.reason ?? null }
}

function finish(tx: Tx, deps: Deps, event: InboundEventRow, set: Partial<InboundEventRow>): null {
  write(tx, deps, event, { ...set, processedAtMs: deps.clock.nowMs() })
  return null
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
    .where(eq(inboundEvents.id, sql.placeholder('id')))
    .prepare(),
)

function write(tx: Tx, deps: Deps, event: InboundEventRow, set: Partial<InboundEventRow>): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  writeProgress(deps.db).run({ ...event, ...set, attempts: event.attempts + 1 })
}

/** Writes down that a change could not be worked off; it stays visible and can be replayed. */
export function failChangeIn(tx: Tx, deps: Deps, eventId: string, reason: string): void {
  tx.update(inboundEvents)
    .set({ state: 'failed', lastError: reason.slice(0, 200), processedAtMs: deps.clock.nowMs() })
    .where(and(eq(inboundEvents.id, eventId), inArray(inboundEvents.state, ['pending', 'processing'])))
    .run()
}

const ADOPTED_AT_ONCE = 500

/** Takes up to 500 changes that came for a number before it was connected back to pending, the newest no older than `sinceMs`. Returns their ids. */
export function adoptUnroutedIn(tx: Tx, phoneNumberId: string, sinceMs: number): string[] {
  const ids = tx
    .select({ id: inboundEvents.id })
    .from(inboundEvents)
    .where(
      and(eq(inboundEvents.phoneNumberId, phoneNumberId), eq(inboundEvents.state, 'unrouted'), gte(inboundEvents.receivedAtMs, sinceMs)),
    )
    .orderBy(inboundEvents.receivedAtMs, inboundEvents.id)
    .limit(ADOPTED_AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0) tx.update(inboundEvents).set({ state: 'pending', processedAtMs: null }).where(inArray(inboundEvents.id, ids)).run()
  return ids
}
