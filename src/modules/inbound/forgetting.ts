import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'

import { isObject } from '../../platform/lenient'
import { nameIn, withoutPerson, type IsTheirs } from '../../platform/naming'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { phoneIdsOf } from '../accounts/state'
import { knowsSuppressed, wasSuppressedSince } from '../contacts/suppression'
import { packBody, recentBodies, unpackedBody } from './bodies'
import { inboundBodies, inboundEvents } from './table'

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

/**
 * Takes what deliveries say of an erased person out of the journal, some changes at a time, in the caller's transaction: the items that
 * name it by number or id, whoever else the delivery is about. First in what was the organization's, then in what came for numbers of it
 * while they were not connected and so is nobody's. What came in later, or is worked off for the first time later, is somebody new's.
 * Returns where to go on; `null` at the end.
 */
export function forgetPersonIn(tx: Tx, ctx: Ctx, { traces, erasedAtMs, after }: Forgetting): Forgetting['after'] | null {
  const { receivedAtMs, id, processedAtMs } = inboundEvents
  const isOfNobody = after?.isOfNobody === true
  const beyond = after && or(gt(receivedAtMs, after.receivedAtMs), and(eq(receivedAtMs, after.receivedAtMs), gt(id, after.id)))
  const wasThen = and(gt(inboundEvents.attempts, 0), sql`coalesce(${processedAtMs}, 0) <= ${erasedAtMs}`)
  const upToThen = and(lte(receivedAtMs, erasedAtMs), beyond)
  const own = isOfNobody ? new Set(phoneIdsOf(ctx)) : null
  const most = own ? BATCH_OF_NOBODY : BATCH
  const rows = tx
    .select({
      id,
      receivedAtMs,
      bodyId: inboundEvents.bodyId,
      entryIndex: inboundEvents.entryIndex,
      changeIndex: inboundEvents.changeIndex,
      phoneNumberId: inboundEvents.phoneNumberId,
      wasThen: sql<number>`${wasThen}`,
    })
    .from(inboundEvents)
    .where(own ? and(isNull(inboundEvents.organizationId), upToThen) : inOrganization(ctx, inboundEvents, upToThen))
    .orderBy(asc(receivedAtMs), asc(id))
    .limit(most)
    .all()
  const isTheirs = traceFinder(ctx, (marks) => marks.some((mark) => traces.includes(mark)))
  const theirs = rows.filter((row) => row.wasThen === 1 && (own === null || own.has(row.phoneNumberId ?? '')))
  for (const [bodyId, changes] of Map.groupBy(theirs, (row) => row.bodyId)) forgetInBodyIn(tx, ctx, bodyId, { changes, isTheirs })
  const last = rows.at(-1)
  if (rows.length === most && last) return { receivedAtMs: last.receivedAtMs, id: last.id, ...(own ? { isOfNobody: true } : {}) }
  return own ? null : { receivedAtMs: 0, id: '', isOfNobody: true }
}

/**
 * Takes those who were erased after a change came in out of it, before it is worked off as an organization's for the first time, in the
 * caller's transaction: what waited for its number brings nobody back.
 */
export function forgetErasedSinceIn(tx: Tx, ctx: Ctx, event: Change & { bodyId: string; receivedAtMs: number }): void {
  if (!knowsSuppressed(ctx)) return
  const isTheirs = traceFinder(ctx, (marks) => wasSuppressedSince(ctx, marks, event.receivedAtMs))
  forgetInBodyIn(tx, ctx, event.bodyId, { changes: [event], isTheirs })
}

/** Tells whether a text is a number or an id whose marks are meant; what has not the form of one is not looked at closer. */
function traceFinder(ctx: Ctx, areMeant: (marks: string[]) => boolean): IsTheirs {
  const known = new Map<string, boolean>()
  return (value) => {
    const name = nameIn(value)
    if (name === null) return false
    const isOne = known.get(name) ?? areMeant(ctx.vault.marks(name))
    known.set(name, isOne)
    return isOne
  }
}

/** Where a change stands in its body. */
interface Change {
  entryIndex: number
  changeIndex: number
}

function forgetInBodyIn(tx: Tx, ctx: Ctx, bodyId: string, about: { changes: Change[]; isTheirs: IsTheirs }): void {
  const body = unpackedBody(ctx, bodyId) as { entry?: { changes?: { value?: unknown }[] }[] }
  let isChanged = false
  for (const { entryIndex, changeIndex } of about.changes) {
    const change = body.entry?.[entryIndex]?.changes?.[changeIndex]
    if (!isObject(change)) continue
    const left = withoutPerson(change['value'], about.isTheirs)
    isChanged ||= left.parts.length > 0
    change['value'] = left.value
  }
  if (!isChanged) return
  tx.update(inboundBodies)
    .set({ body: packBody(Buffer.from(JSON.stringify(body))) })
    .where(eq(inboundBodies.id, bodyId))
    .run()
  recentBodies(ctx).drop(bodyId)
}
