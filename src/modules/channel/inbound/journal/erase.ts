import { and, asc, eq, gt, isNull, lte, sql, type SQL } from 'drizzle-orm'

import { runsOf } from '../../../../lib/runs'
import { isObject } from '../../../../platform/lenient-json'
import { packBody } from '../../../../platform/webhook/pack-body'
import { personIdIn, redactPerson, type IsTheirs } from '../../../../platform/webhook/redact-person'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import { phoneIdsOf } from '../../accounts/queries'
import { hasSuppressions, wasSuppressedSince } from '../../../inbox/contacts/erase/suppression'
import type { ItemOutcome } from '../process/apply-item'
import { unpackedBody } from './bodies'
import { inboundBodies, inboundEvents } from '../table'

/** Maximum duration of one step without its commit, milliseconds. */
const STEP_MS = 5

/** Changes read in one transaction. */
const BATCH = 100

/** Unrouted changes read in one transaction. Most belong to other phone numbers and are skipped. */
const UNROUTED_BATCH = 1_000

/**
 * The person whose data is erased from the journal, up to which time, and the change after which to
 * continue.
 */
export interface JournalErasure {
  /** Digests of phone numbers and IDs, as computed by the vault. */
  traces: string[]
  erasedAtMs: number
  /** The erasure request to complete at the end. */
  requestId?: string
  after?: { receivedAtMs: number; id: string; isOfNobody?: boolean } | undefined
}

/** Where to continue (`null` at the end), and the number of changes that were redacted. */
interface ErasureProgress {
  next: JournalErasure['after'] | null
  erased: number
}

/**
 * Erases a person from a batch of stored changes, in the caller's transaction. Removes the items
 * that name the person by number or ID and keeps items about others. Starts with the organization's
 * changes, then continues with unrouted changes for its phone numbers. Skips changes that were
 * received or first processed after the erasure, because they belong to a new contact. Stops when
 * the time of a step is over and returns where to continue.
 */
export function erasePersonIn(
  tx: Tx,
  ctx: Ctx,
  { traces, erasedAtMs, after }: JournalErasure,
): ErasureProgress {
  const isOver = timeIsOver(STEP_MS)
  const isOfNobody = after?.isOfNobody === true
  const own = isOfNobody ? new Set(phoneIdsOf(ctx)) : null
  const most = own ? UNROUTED_BATCH : BATCH
  const rows = nextChanges(tx, ctx, { erasedAtMs, after, most })
  const isTheirs = traceFinder(ctx, (marks) => marks.some((mark) => traces.includes(mark)))
  const of = isOfNobody ? { isOfNobody } : {}
  let erased = 0
  for (const run of runsOf(rows, ({ bodyId }) => bodyId)) {
    const changes = run.filter(
      (row) => row.wasThen === 1 && (own === null || own.has(row.phoneNumberId ?? '')),
    )
    if (changes.length > 0)
      erased += eraseFromBodyIn(tx, ctx, changes[0]?.bodyId ?? 0, { changes, isTheirs })
    const last = run.at(-1)
    if (last && isOver())
      return { next: { receivedAtMs: last.receivedAtMs, id: last.id, ...of }, erased }
  }
  const last = rows.at(-1)
  if (rows.length === most && last)
    return { next: { receivedAtMs: last.receivedAtMs, id: last.id, ...of }, erased }
  return { next: own ? null : { receivedAtMs: 0, id: '', isOfNobody: true }, erased }
}

/** Returns the next changes received before the erasure, oldest first. */
function nextChanges(
  tx: Tx,
  ctx: Ctx,
  at: { erasedAtMs: number; after: JournalErasure['after']; most: number },
) {
  const { erasedAtMs, after, most } = at
  const { receivedAtMs, id, bodyId, entryIndex, changeIndex, phoneNumberId, processedAtMs } =
    inboundEvents
  const beyond =
    after && sql`(${receivedAtMs}, ${id}) > (${after.receivedAtMs}, ${sql.param(after.id, id)})`
  const wasThen = and(
    gt(inboundEvents.attempts, 0),
    sql`coalesce(${processedAtMs}, 0) <= ${erasedAtMs}`,
  )
  const upToThen = and(lte(receivedAtMs, erasedAtMs), beyond)
  return tx
    .select({
      id,
      receivedAtMs,
      bodyId,
      entryIndex,
      changeIndex,
      phoneNumberId,
      wasThen: sql<number>`${wasThen}`,
    })
    .from(inboundEvents)
    .where(
      after?.isOfNobody === true
        ? and(isNull(inboundEvents.organizationId), upToThen)
        : inOrganization(ctx, inboundEvents, upToThen),
    )
    .orderBy(asc(receivedAtMs), asc(id))
    .limit(most)
    .all()
}

/**
 * Erases people from an unrouted change if they were erased after it was received, in the caller's
 * transaction. Runs before the change is processed for the first time, so that the change does not
 * recreate their contacts.
 */
export function eraseSuppressedPeopleIn(
  tx: Tx,
  ctx: Ctx,
  event: Change & { bodyId: number; receivedAtMs: number },
): void {
  if (!hasSuppressions(ctx)) return
  const isTheirs = traceFinder(ctx, (marks) => wasSuppressedSince(ctx, marks, event.receivedAtMs))
  eraseFromBodyIn(tx, ctx, event.bodyId, { changes: [event], isTheirs })
}

/**
 * Returns a predicate that reports whether a text is a phone number or ID whose digests match.
 * Ignores texts that do not look like a number or an ID.
 */
function traceFinder(ctx: Ctx, matches: (marks: string[]) => boolean): IsTheirs {
  const known = new Map<string, boolean>()
  return (value) => {
    const name = personIdIn(value)
    if (name === null) return false
    const isOne = known.get(name) ?? matches(ctx.vault.codeDigests(name))
    known.set(name, isOne)
    return isOne
  }
}

/** A change, and its position in its body. */
interface Change {
  id: string
  entryIndex: number
  changeIndex: number
}

/**
 * Erases a person from changes of one body, in the caller's transaction. Returns the number of
 * changes that were redacted.
 */
function eraseFromBodyIn(
  tx: Tx,
  ctx: Ctx,
  bodyId: number,
  about: { changes: Change[]; isTheirs: IsTheirs },
): number {
  const body = unpackedBody(ctx, bodyId) as { entry?: { changes?: { value?: unknown }[] }[] }
  let erased = 0
  for (const { id, entryIndex, changeIndex } of about.changes) {
    const change = body.entry?.[entryIndex]?.changes?.[changeIndex]
    if (!isObject(change)) continue
    const left = redactPerson(change['value'], about.isTheirs)
    if (left.parts.length === 0) continue
    erased += 1
    change['value'] = left.value
    clearReasonsIn(tx, id)
  }
  if (erased === 0) return 0
  tx.update(inboundBodies)
    .set({ body: packBody(Buffer.from(JSON.stringify(body))) })
    .where(eq(inboundBodies.id, bodyId))
    .run()
  ctx.recentBodies.drop(bodyId)
  return erased
}

/**
 * Removes from a change why items of it failed, in the caller's transaction: an error may quote what
 * the item said.
 */
function clearReasonsIn(tx: Tx, id: string): void {
  const row = tx
    .select({ outcomes: inboundEvents.outcomes, lastError: inboundEvents.lastError })
    .from(inboundEvents)
    .where(ofChange(id))
    .get()
  if (!row || (row.outcomes === '[]' && row.lastError === null)) return
  const outcomes = (JSON.parse(row.outcomes) as ItemOutcome[]).map((outcome) =>
    outcome.outcome === 'failed' ? { ...outcome, reason: 'erased' } : outcome,
  )
  tx.update(inboundEvents)
    .set({
      outcomes: JSON.stringify(outcomes),
      lastError: row.lastError === null ? null : 'erased',
    })
    .where(ofChange(id))
    .run()
}

const ofChange = (id: string): SQL | undefined =>
  acrossOrganizations('an unrouted change belongs to nobody', eq(inboundEvents.id, id))
