import { and, eq, inArray, isNull } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import { typeGuardOf } from '../../../../lib/schema-check'
import { acrossOrganizations, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import type { HttpResult } from '../../../../platform/client/http-call'
import { readChanges } from '../../../../platform/webhook/body'
import { unpackBody } from '../../../../platform/webhook/pack-body'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { reopenAllIn } from '../assign-unrouted'
import { enqueueReplayIn } from '../enqueue-replay'
import type { Passing } from '../jobs'
import type { InboundEventRow } from '../journal/row'
import { presenceOf } from '../process/route'
import { PASSED_ON } from '../select'
import { countUnroutedIn } from '../stats/hourly'
import { inboundBodies, inboundEvents } from '../table'
import { placeOf } from '../verify-signature'
import { DELIVERIES_PATH, DeliveryAnswer, type DeliveryFacts } from './facts'

/**
 * Passes changes on to another cell, as the bytes that were received. It may run twice: the other
 * cell journals the same delivery once. Changes that the other cell has an account for are no longer
 * unrouted here. Those whose numbers came here meanwhile are processed here. Throws an error if the
 * cell does not confirm that it stored the delivery.
 */
export async function sendToCell(ctx: JobCtx, passing: Passing): Promise<Outcome> {
  const { bodyId, cell } = passing
  const { cells } = ctx.settings
  if (!cells?.peers.includes(cell)) return { giveUp: `${cell} is no longer one of CELLS` }
  const row = ctx.db.orm
    .select({ body: inboundBodies.body, signedBy: inboundBodies.signedBy })
    .from(inboundBodies)
    .where(eq(inboundBodies.id, bodyId))
    .get()
  if (!row) return { cancel: 'the delivery is no longer stored' }
  const bytes = unpackBody(row.body)
  const { here, partly, unknown, shared } = sortedNow(ctx, bytes, passing)
  if (here.length > 0) transact(ctx.db, (tx) => processHereIn(tx, ctx, { bodyId, places: here }))
  if (unknown.length + shared.length === 0) return undefined
  const facts: DeliveryFacts = {
    cell: cells.own,
    hops: 1,
    signed_by: row.signedBy,
    unknown,
    shared,
  }
  const result = await ctx.cellClient.post(ctx, {
    cell,
    path: DELIVERIES_PATH,
    facts,
    body: bytes.toString('utf8'),
    signal: ctx.signal,
  })
  const known = knownOf(result).filter((place) => unknown.includes(place))
  if (known.length > 0) transact(ctx.db, (tx) => markPassedOnIn(tx, ctx, { bodyId, known, partly }))
  return undefined
}

/** Positions of changes, by whether the accounts that they name are here. */
interface Sorted {
  here: string[]
  /** Those of `unknown` of which some numbers are here. */
  partly: string[]
  unknown: string[]
  shared: string[]
}

/** Sorts the changes to pass on by what is here now: numbers come and go while a job waits. */
function sortedNow(ctx: Ctx, bytes: Buffer, { unknown, shared }: Passing): Sorted {
  const wanted = new Set([...unknown, ...shared])
  const sorted: Sorted = { here: [], partly: [], unknown: [], shared: [] }
  for (const change of readChanges(JSON.parse(bytes.toString('utf8')))) {
    const place = placeOf(change)
    if (!wanted.has(place)) continue
    const presence = presenceOf(ctx, change)
    if (presence === 'here') sorted.here.push(place)
    else if (presence === 'shared') sorted.shared.push(place)
    else sorted.unknown.push(place)
    if (presence === 'partly') sorted.partly.push(place)
  }
  return sorted
}

/** Processes changes here after all that nobody took, in the caller's transaction. */
function processHereIn(tx: Tx, ctx: Ctx, at: { bodyId: number; places: string[] }): void {
  const rows = untakenOf(tx, at.bodyId, ['unrouted']).filter((row) =>
    at.places.includes(placeOf(row)),
  )
  reopenAllIn(tx, rows)
  for (const row of rows) enqueueReplayIn(tx, ctx, row)
}

const fitsAnswer = typeGuardOf(DeliveryAnswer)
const isAnswer = (value: unknown): value is DeliveryAnswer => fitsAnswer(value)

/** Returns the changes that the other cell has accounts for. Throws if it did not answer 200. */
function knownOf(result: HttpResult): string[] {
  if (result.kind !== 'answered') throw new Error(`the cell did not answer: ${result.cause}`)
  const answer = parsed(result.body.toString('utf8')) as { data?: unknown; code?: string } | null
  if (result.status === 200 && isAnswer(answer?.data)) return answer.data.changes
  throw new Error(`the cell answered ${result.status} ${answer?.code ?? ''}`.trim())
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Marks changes as passed on, in the caller's transaction. Leaves those that an account here took
 * meanwhile.
 */
function markPassedOnIn(
  tx: Tx,
  ctx: Ctx,
  { bodyId, known, partly }: { bodyId: number; known: string[]; partly: string[] },
): void {
  const waiting = untakenOf(tx, bodyId, ['pending', 'unrouted']).filter(
    (row) =>
      known.includes(placeOf(row)) &&
      // A number that is here still waits for its part of the change.
      (row.state === 'unrouted' || !partly.includes(placeOf(row))),
  )
  for (const event of waiting) {
    tx.update(inboundEvents)
      .set({ state: 'ignored', reason: PASSED_ON, processedAtMs: ctx.clock.nowMs() })
      .where(
        acrossOrganizations(
          'a change that is not here has no organization',
          eq(inboundEvents.id, event.id),
        ),
      )
      .run()
    if (event.state === 'unrouted') countUnroutedIn(tx, ctx, event, -1)
  }
}

/** Returns the changes of a body that no organization has taken. */
const untakenOf = (tx: Tx, bodyId: number, states: InboundEventRow['state'][]): InboundEventRow[] =>
  tx
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change that is not here has no organization',
        and(
          eq(inboundEvents.bodyId, bodyId),
          isNull(inboundEvents.organizationId),
          inArray(inboundEvents.state, states),
        ),
      ),
    )
    .all()

/** Notifies the super admins, at most once an hour per cell, that deliveries did not reach a cell. */
export function reportLostIn(tx: Tx, ctx: JobCtx, { cell }: Passing, reason: string): void {
  notifySuperAdminsIn(
    tx,
    ctx,
    {
      kind: 'cell_unreachable',
      severity: 'critical',
      title: 'Webhooks could not be passed on',
      body:
        `Deliveries for ${cell} were discarded after all attempts: ${reason.slice(0, 200)}. They ` +
        'stay in the journal. Retry the discarded jobs `inbound.pass-on` when the server is back.',
      link: `/docs/second-server?cell=${encodeURIComponent(cell)}`,
    },
    { onceSinceMs: ctx.clock.nowMs() - HOUR_MS },
  )
}
