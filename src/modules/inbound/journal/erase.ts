import { and, asc, eq, gt, isNull, lte, sql } from 'drizzle-orm'

import { runsOf } from '../../../lib/runs'
import { isObject } from '../../../platform/lenient-json'
import { personIdIn, redactPerson, type IsTheirs } from '../../../platform/webhook/redact-person'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { phoneIdsOf } from '../../accounts/queries'
import { hasSuppressions, wasSuppressedSince } from '../../contacts/suppression'
import { packBody, unpackedBody } from './bodies'
import { inboundBodies, inboundEvents } from '../table'

/** One step takes no longer than this, milliseconds; its commit comes on top. */
const STEP_MS = 5

/** Changes looked at in one transaction. */
const BATCH = 100

/** The same of those that are nobody's: most came for numbers of others and are passed over. */
const BATCH_OF_NOBODY = 1_000

/** Whom the journal forgets, up to when, and after which change it goes on. */
export interface Forgetting {
  /** Numbers and ids as the vault marks them. */
  traces: string[]
  erasedAtMs: number
  /** The receipt that waits for the end. */
  requestId?: string
  after?: { receivedAtMs: number; id: string; isOfNobody?: boolean } | undefined
}

/** How far the forgetting has come, `null` at the end, and how many changes lost something. */
interface Forgot {
  next: Forgetting['after'] | null
  forgotten: number
}

/**
 * Takes what deliveries say of an erased person out of the journal, some changes at a time, in the
 * caller's transaction: the items that name it by number or id, whoever else the delivery is about.
 * First in what was the organization's, then in what came for numbers of it while they were not
 * connected and so is nobody's. What came in later, or is worked off for the first time later, is
 * somebody new's. A body is opened once for all of its changes that stand together, and when the
 * time is over the rest is left to the next step.
 */
export function forgetPersonIn(
  tx: Tx,
  ctx: Ctx,
  { traces, erasedAtMs, after }: Forgetting,
): Forgot {
  const isOver = timeIsOver(STEP_MS)
  const isOfNobody = after?.isOfNobody === true
  const own = isOfNobody ? new Set(phoneIdsOf(ctx)) : null
  const most = own ? BATCH_OF_NOBODY : BATCH
  const rows = changesUpToThen(tx, ctx, { erasedAtMs, after, most })
  const isTheirs = traceFinder(ctx, (marks) => marks.some((mark) => traces.includes(mark)))
  const of = isOfNobody ? { isOfNobody } : {}
  let forgotten = 0
  for (const run of runsOf(rows, ({ bodyId }) => bodyId)) {
    const changes = run.filter(
      (row) => row.wasThen === 1 && (own === null || own.has(row.phoneNumberId ?? '')),
    )
    if (changes.length > 0)
      forgotten += forgetInBodyIn(tx, ctx, changes[0]?.bodyId ?? '', { changes, isTheirs })
    const last = run.at(-1)
    if (last && isOver())
      return { next: { receivedAtMs: last.receivedAtMs, id: last.id, ...of }, forgotten }
  }
  const last = rows.at(-1)
  if (rows.length === most && last)
    return { next: { receivedAtMs: last.receivedAtMs, id: last.id, ...of }, forgotten }
  return { next: own ? null : { receivedAtMs: 0, id: '', isOfNobody: true }, forgotten }
}

/** The next changes that came in before somebody was erased, oldest first. */
function changesUpToThen(
  tx: Tx,
  ctx: Ctx,
  at: { erasedAtMs: number; after: Forgetting['after']; most: number },
) {
  const { erasedAtMs, after, most } = at
  const { receivedAtMs, id, bodyId, entryIndex, changeIndex, phoneNumberId, processedAtMs } =
    inboundEvents
  const beyond = after && sql`(${receivedAtMs}, ${id}) > (${after.receivedAtMs}, ${after.id})`
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
 * Takes those who were erased after a change came in out of it, before it is worked off as an
 * organization's for the first time, in the caller's transaction: what waited for its number brings
 * nobody back.
 */
export function forgetErasedSinceIn(
  tx: Tx,
  ctx: Ctx,
  event: Change & { bodyId: string; receivedAtMs: number },
): void {
  if (!hasSuppressions(ctx)) return
  const isTheirs = traceFinder(ctx, (marks) => wasSuppressedSince(ctx, marks, event.receivedAtMs))
  forgetInBodyIn(tx, ctx, event.bodyId, { changes: [event], isTheirs })
}

/**
 * Tells whether a text is a number or an id whose marks are meant; what has not the form of one is
 * not looked at closer.
 */
function traceFinder(ctx: Ctx, areMeant: (marks: string[]) => boolean): IsTheirs {
  const known = new Map<string, boolean>()
  return (value) => {
    const name = personIdIn(value)
    if (name === null) return false
    const isOne = known.get(name) ?? areMeant(ctx.vault.codeDigests(name))
    known.set(name, isOne)
    return isOne
  }
}

/** Where a change stands in its body. */
interface Change {
  entryIndex: number
  changeIndex: number
}

/**
 * Takes a person out of changes of one body, in the caller's transaction. Returns how many of them
 * said something of it.
 */
function forgetInBodyIn(
  tx: Tx,
  ctx: Ctx,
  bodyId: string,
  about: { changes: Change[]; isTheirs: IsTheirs },
): number {
  const body = unpackedBody(ctx, bodyId) as { entry?: { changes?: { value?: unknown }[] }[] }
  let forgotten = 0
  for (const { entryIndex, changeIndex } of about.changes) {
    const change = body.entry?.[entryIndex]?.changes?.[changeIndex]
    if (!isObject(change)) continue
    const left = redactPerson(change['value'], about.isTheirs)
    if (left.parts.length === 0) continue
    forgotten += 1
    change['value'] = left.value
  }
  if (forgotten === 0) return 0
  tx.update(inboundBodies)
    .set({ body: packBody(Buffer.from(JSON.stringify(body))) })
    .where(eq(inboundBodies.id, bodyId))
    .run()
  ctx.recentBodies.drop(bodyId)
  return forgotten
}
