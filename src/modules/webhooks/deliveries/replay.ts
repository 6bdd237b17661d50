import { and, asc, count, eq, gt, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { ConflictError, fieldSentence, InvalidError, NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../audit/record'
import { enqueueDeliveryIn, findPayload, insertDeliveryIn } from '../delivery/store'
import { isEventPattern, isChosen, WEBHOOK_EVENTS } from '../events/catalog'
import { ReplayWebhooks } from '../jobs'
import type { NewReplay, ReplayView } from '../model'
import { findEndpoint, getEndpointRow } from '../queries'
import type { DeliveryRow, ReplayRow } from '../row'
import { MAX_REPLAY_MS, MAX_REPLAYED, PAYLOAD_KEPT_MS } from '../rules'
import { webhookDeliveries, webhookReplays } from '../table'
import { replayView } from '../view'
import { changeReplayIn, countReplayedIn, endReplayIfDoneIn, findReplay } from './replay-progress'
import { requireEnabled } from './resend'

const refused = (name: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(name, message), {
    code: 'invalid_input',
    errors: [{ path: `body.${name}`, message }],
  })

interface Range {
  fromMs: number
  toMs: number
}

function readRange(ctx: Ctx, input: NewReplay): Range {
  const nowMs = ctx.clock.nowMs()
  const fromMs = Date.parse(input.from) // the schema takes instants only
  const toMs = input.to === undefined ? nowMs : Date.parse(input.to)
  if (fromMs >= toMs) throw refused('from', 'must be before `to`')
  if (toMs - fromMs > MAX_REPLAY_MS) throw refused('from', 'must be at most seven days before `to`')
  if (fromMs < nowMs - PAYLOAD_KEPT_MS)
    throw refused('from', 'must be at most seven days ago; older payloads are deleted')
  return { fromMs, toMs }
}

/** Returns the chosen event types, or `null` for all. Throws InvalidError for an unknown one. */
function readEvents(input: NewReplay): string[] | null {
  if (input.events === undefined) return null
  const index = input.events.findIndex((event) => !isEventPattern(event))
  if (index >= 0) throw refused(`events[${index}]`, 'is not an event type')
  const patterns = input.events
  return WEBHOOK_EVENTS.map(({ value }) => value).filter((value) => isChosen(value, patterns))
}

/** States of deliveries that a replay makes again by default. */
const FAILED_STATES = ['exhausted', 'missed', 'cancelled'] as const

const chosen = (
  replay: Pick<
    ReplayRow,
    'endpointId' | 'fromMs' | 'toMs' | 'onlyFailed' | 'events' | 'afterId'
  > & {
    createdAtMs: number
  },
): SQL | undefined =>
  and(
    eq(webhookDeliveries.endpointId, replay.endpointId),
    gte(webhookDeliveries.createdAtMs, replay.fromMs),
    lt(webhookDeliveries.createdAtMs, Math.min(replay.toMs, replay.createdAtMs)),
    replay.afterId === null ? undefined : gt(webhookDeliveries.id, replay.afterId),
    replay.onlyFailed
      ? inArray(webhookDeliveries.state, [...FAILED_STATES])
      : inArray(webhookDeliveries.state, [...FAILED_STATES, 'delivered']),
    eq(webhookDeliveries.isManual, false),
    gt(webhookDeliveries.seq, 0),
    replay.events === null
      ? undefined
      : inArray(webhookDeliveries.event, JSON.parse(replay.events) as string[]),
  )

/**
 * Makes the deliveries of a time range again, oldest first, behind live ones. Throws NotFoundError,
 * InvalidError for the range, more than 100,000 deliveries and unknown events, and ConflictError
 * `endpoint_disabled`.
 */
export function startReplay(
  ctx: Ctx,
  endpointId: string,
  input: NewReplay,
): { replay_id: string; count: number } {
  const endpoint = getEndpointRow(ctx, endpointId)
  const range = readRange(ctx, input)
  const events = readEvents(input)
  requireEnabled(endpoint)
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const replay = {
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      endpointId,
      state: 'running' as const,
      ...range,
      events: events && JSON.stringify(events),
      onlyFailed: input.only_failed ?? true,
      afterId: null,
      createdBy: ctx.actor.userId,
      createdAtMs: nowMs,
    }
    const total = countChosen(ctx, chosen(replay))
    if (total > MAX_REPLAYED)
      throw refused('from', `selects more than ${MAX_REPLAYED} deliveries; choose a shorter range`)
    tx.insert(webhookReplays)
      .values({ ...replay, total })
      .run()
    enqueue(tx, ctx, ReplayWebhooks, { args: { replayId: replay.id } })
    recordAudit(tx, ctx, {
      action: 'replayed',
      resourceType: 'webhook_endpoint',
      resourceId: endpointId,
      resourceName: endpoint.name,
      changes: [
        { field: 'from', old_value: null, new_value: isoTime(range.fromMs) },
        { field: 'to', old_value: null, new_value: isoTime(range.toMs) },
        { field: 'count', old_value: null, new_value: total },
      ],
    })
    return { replay_id: replay.id, count: total }
  })
}

function countChosen(ctx: Ctx, condition: SQL | undefined): number {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, condition))
    .limit(MAX_REPLAYED + 1)
    .as('some')
  return ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
}

/** Deliveries made again in one transaction. */
const BATCH = 100

/**
 * Makes a batch of the deliveries of a replay again, in the caller's transaction, and enqueues the
 * next one.
 */
export function replayBatchIn(tx: Tx, ctx: Ctx, { replayId }: { replayId: string }): void {
  const replay = findReplay(ctx, replayId)
  if (replay?.state !== 'running') return
  const endpoint = findEndpoint(ctx, replay.endpointId)
  if (endpoint?.deletedAtMs !== null) return changeReplayIn(tx, ctx, replayId, { state: 'stopped' })
  const rows = ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, chosen(replay)))
    .orderBy(asc(webhookDeliveries.id))
    .limit(BATCH)
    .all()
  for (const row of rows) repeatIn(tx, ctx, replay, row)
  const last = rows.at(-1)
  if (rows.length === BATCH && last) {
    changeReplayIn(tx, ctx, replayId, { afterId: last.id })
    enqueue(tx, ctx, ReplayWebhooks, { args: { replayId } })
    return
  }
  changeReplayIn(tx, ctx, replayId, { isQueued: true })
  endReplayIfDoneIn(tx, ctx, replayId)
}

function repeatIn(tx: Tx, ctx: Ctx, replay: ReplayRow, row: DeliveryRow): void {
  const endpoint = findEndpoint(ctx, replay.endpointId)
  if (!endpoint || findPayload(ctx, row.payloadId) === null)
    return countReplayedIn(tx, ctx, replay.id, 'failed')
  const again = insertDeliveryIn(tx, ctx, {
    endpointId: replay.endpointId,
    payloadId: row.payloadId,
    event: row.event,
    seq: row.seq,
    contactId: row.contactId,
    originalId: row.originalId ?? row.id,
    state: 'pending',
    isManual: true,
    replayId: replay.id,
  })
  enqueueDeliveryIn(tx, ctx, endpoint, again)
}

function getReplayRow(ctx: Ctx, endpointId: string, id: string): ReplayRow {
  getEndpointRow(ctx, endpointId)
  const row = findReplay(ctx, id)
  if (row?.endpointId !== endpointId) throw new NotFoundError('Webhook replay')
  return row
}

/** Returns a replay of an endpoint. Throws NotFoundError. */
export const getReplay = (ctx: Ctx, endpointId: string, id: string): ReplayView =>
  replayView(getReplayRow(ctx, endpointId, id))

/**
 * Stops a replay: no further deliveries are made. Throws NotFoundError and ConflictError
 * `wrong_state`.
 */
export function stopReplay(ctx: Ctx, endpointId: string, id: string): ReplayView {
  return transact(ctx.db, (tx) => {
    const row = getReplayRow(ctx, endpointId, id)
    if (row.state !== 'running')
      throw new ConflictError('The replay is not running.', { code: 'wrong_state' })
    const set = { state: 'stopped' as const, endedAtMs: ctx.clock.nowMs() }
    changeReplayIn(tx, ctx, id, set)
    recordAudit(tx, ctx, {
      action: 'cancelled',
      resourceType: 'webhook_replay',
      resourceId: id,
      resourceName: getEndpointRow(ctx, endpointId).name,
    })
    return replayView({ ...row, ...set })
  })
}
