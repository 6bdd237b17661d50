import { and, asc, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../../lib/errors'
import type { CursorKey } from '../../../../lib/page'
import { inOrganization, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { afterKey } from '../../../../infra/keyset-pagination'
import { recordAudit } from '../../../organization/audit/record'
import { advanceWorkIn, beginWorkIn } from '../../../organization/notifications/work/note'
import { enqueueDeliveryIn, findDelivery, hasPayload, insertDeliveryIn } from '../delivery/store'
import { isEventPattern, isChosen, WEBHOOK_EVENTS } from '../../realtime/webhook-events'
import { ReplayWebhooks } from '../jobs'
import type { NewReplay } from '../model'
import { findEndpoint, getEndpointRow } from '../queries'
import type { DeliveryRow, ReplayRow } from '../row'
import { MAX_REPLAY_MS, MAX_REPLAYED, PAYLOAD_KEPT_MS } from '../rules'
import { webhookDeliveries, webhookReplays } from '../table'
import { changeReplayIn, countReplayedIn, endReplayIfDoneIn, findReplay } from './progress'
import { requireEnabled } from '../deliveries/resend'
import { chosen, inRange, type DeliveryChoice } from './chosen'
import { CountChosen } from './readers'

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

/** Reads which deliveries are chosen, and counts them. Throws as `startReplay`. */
async function choose(
  ctx: Ctx,
  endpointId: string,
  input: NewReplay,
): Promise<{ choice: DeliveryChoice; total: number }> {
  const events = readEvents(input)
  const choice = {
    endpointId,
    ...readRange(ctx, input),
    events: events && JSON.stringify(events),
    onlyFailed: input.only_failed ?? true,
    createdAtMs: ctx.clock.nowMs(),
  }
  const total = await ctx.reads.value(CountChosen, ctx, choice)
  if (total > MAX_REPLAYED)
    throw refused('from', `selects more than ${MAX_REPLAYED} deliveries; choose a shorter range`)
  return { choice, total }
}

/** Returns how many deliveries a replay would make again. Throws NotFoundError and InvalidError. */
export async function previewReplay(
  ctx: Ctx,
  endpointId: string,
  input: NewReplay,
): Promise<{ count: number }> {
  getEndpointRow(ctx, endpointId)
  return { count: (await choose(ctx, endpointId, input)).total }
}

/**
 * Makes the deliveries of a time range again, oldest first, behind live ones. Throws NotFoundError,
 * InvalidError for the range, more than 100,000 deliveries and unknown events, and ConflictError
 * `endpoint_disabled`.
 */
export async function startReplay(
  ctx: Ctx,
  endpointId: string,
  input: NewReplay,
): Promise<{ replay_id: string; count: number }> {
  requireEnabled(getEndpointRow(ctx, endpointId))
  const { choice, total } = await choose(ctx, endpointId, input)
  return transact(ctx.db, (tx) => {
    const endpoint = getEndpointRow(ctx, endpointId)
    requireEnabled(endpoint)
    const replay = {
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      state: 'running' as const,
      ...choice,
      afterId: null,
      createdBy: ctx.actor.userId,
    }
    tx.insert(webhookReplays)
      .values({ ...replay, total })
      .run()
    enqueue(tx, ctx, ReplayWebhooks, { args: { replayId: replay.id } })
    beginWorkIn(tx, ctx, {
      ...{ kind: 'webhook_replay', id: replay.id, title: endpoint.name, total },
      link: `/settings/webhooks/${endpointId}`,
    })
    recordAudit(tx, ctx, {
      action: 'replayed',
      resourceType: 'webhook_endpoint',
      resourceId: endpointId,
      resourceName: endpoint.name,
      changes: [
        { field: 'from', old_value: null, new_value: isoTime(choice.fromMs) },
        { field: 'to', old_value: null, new_value: isoTime(choice.toMs) },
        { field: 'count', old_value: null, new_value: total },
      ],
    })
    return { replay_id: replay.id, count: total }
  })
}

const ORDER = { value: webhookDeliveries.createdAtMs, id: webhookDeliveries.id }

/** Deliveries looked at in one go. */
const STRIDE = 2_000

/** The next deliveries of the range after a place: its condition, and the last of them. */
function strideOf(
  ctx: Ctx,
  replay: DeliveryChoice,
  place: CursorKey | null,
): { where: SQL | undefined; end: CursorKey | null } {
  const where = and(inRange(replay), place === null ? undefined : afterKey(ORDER, place, 'asc'))
  const end =
    ctx.db.orm
      .select(ORDER)
      .from(webhookDeliveries)
      .where(inOrganization(ctx, webhookDeliveries, where))
      .orderBy(asc(ORDER.value), asc(ORDER.id))
      .limit(1)
      .offset(STRIDE - 1)
      .get() ?? null
  const isBefore =
    end && sql`(${ORDER.value}, ${ORDER.id}) <= (${end.value}, ${sql.param(end.id, ORDER.id)})`
  return { where: and(where, isBefore ?? undefined), end }
}

/** Deliveries made again in one transaction, and transactions in one run of the job. */
const BATCH = 100
const BATCHES = 5

/** Makes the next 500 deliveries of a replay again and enqueues the rest. */
export async function replayBatch(ctx: JobCtx, { replayId }: { replayId: string }): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    if (!transact(ctx.db, (tx) => replayNextIn(tx, ctx, replayId))) return
    await yieldToEventLoop()
  }
  transact(ctx.db, (tx) => void enqueue(tx, ctx, ReplayWebhooks, { args: { replayId } }))
}

/** Makes the next deliveries of a replay again. Returns whether there may be more. */
function replayNextIn(tx: Tx, ctx: Ctx, replayId: string): boolean {
  const replay = findReplay(ctx, replayId)
  if (replay?.state !== 'running') return false
  const endpoint = findEndpoint(ctx, replay.endpointId)
  if (endpoint?.deletedAtMs !== null) {
    changeReplayIn(tx, ctx, replayId, { state: 'stopped' })
    advanceWorkIn(tx, ctx, replayId, { state: 'cancelled' })
    return false
  }
  const after = replay.afterId === null ? null : findDelivery(ctx, replay.afterId)
  const { where, end } = strideOf(ctx, replay, after && { value: after.createdAtMs, id: after.id })
  const rows = ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, and(where, chosen(replay))))
    .orderBy(asc(ORDER.value), asc(ORDER.id))
    .limit(BATCH)
    .all()
  for (const row of rows) repeatIn(tx, ctx, replay, row)
  const last = rows.length === BATCH ? rows.at(-1) : end
  changeReplayIn(tx, ctx, replayId, last ? { afterId: last.id } : { isQueued: true })
  if (!last) endReplayIfDoneIn(tx, ctx, replayId)
  return last != null
}

function repeatIn(tx: Tx, ctx: Ctx, replay: ReplayRow, row: DeliveryRow): void {
  const endpoint = findEndpoint(ctx, replay.endpointId)
  if (!endpoint || !hasPayload(ctx, row.payloadId))
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
