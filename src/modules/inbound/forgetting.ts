import { and, asc, eq, gt, lte, or, sql } from 'drizzle-orm'

import { isObject, type JsonObject } from '../../platform/lenient'
import { phoneDigitsOf, userIdOf } from '../../platform/sender'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { packBody, recentBodies, unpackedBody } from './bodies'
import { inboundBodies, inboundEvents } from './table'

/** Changes looked at in one transaction. */
const BATCH = 100

/** Deeper than anything the platform sends; what lies there is taken out unread. */
const DEEPEST = 64

/** Whom the journal forgets, up to when, and after which change it goes on. */
export interface Forgetting {
  /** Numbers and ids as the vault marks them. */
  traces: string[]
  erasedAtMs: number
  /** The receipt that waits for the end. */
  requestId?: string
  after?: { receivedAtMs: number; id: string } | undefined
}

/** What stands where something about an erased person stood; who reads it finds nothing. */
const ERASED = { erased: true }

/** Whether an item of a delivery was about somebody who was erased. */
export const isErased = (item: unknown): boolean => isObject(item) && item['erased'] === true

/**
 * Takes what deliveries say of an erased person out of the journal, some changes at a time, in the caller's transaction: the items that
 * name it by number or id, whoever else the delivery is about. What came in later, or is worked off for the first time later, is somebody
 * new's. Returns where to go on; `null` at the end.
 */
export function forgetPersonIn(tx: Tx, ctx: Ctx, { traces, erasedAtMs, after }: Forgetting): Forgetting['after'] | null {
  const { receivedAtMs, id, processedAtMs } = inboundEvents
  const beyond = after && or(gt(receivedAtMs, after.receivedAtMs), and(eq(receivedAtMs, after.receivedAtMs), gt(id, after.id)))
  const wasThen = and(gt(inboundEvents.attempts, 0), sql`coalesce(${processedAtMs}, 0) <= ${erasedAtMs}`)
  const rows = tx
    .select({
      id,
      receivedAtMs,
      bodyId: inboundEvents.bodyId,
      entryIndex: inboundEvents.entryIndex,
      changeIndex: inboundEvents.changeIndex,
      wasThen: sql<number>`${wasThen}`,
    })
    .from(inboundEvents)
    .where(inOrganization(ctx, inboundEvents, and(lte(receivedAtMs, erasedAtMs), beyond)))
    .orderBy(asc(receivedAtMs), asc(id))
    .limit(BATCH)
    .all()
  const isTrace = traceFinder(ctx, new Set(traces))
  for (const [bodyId, changes] of Map.groupBy(
    rows.filter((row) => row.wasThen === 1),
    (row) => row.bodyId,
  ))
    forgetInBodyIn(tx, ctx, bodyId, { changes, isTrace })
  const last = rows.at(-1)
  return rows.length === BATCH && last ? { receivedAtMs: last.receivedAtMs, id: last.id } : null
}

type IsTrace = (value: unknown) => boolean

/** Tells whether a text is one of the numbers and ids; what has not the form of one is not looked at closer. */
function traceFinder(ctx: Ctx, traces: Set<string>): IsTrace {
  const known = new Map<string, boolean>()
  return (value) => {
    const name = typeof value === 'string' || typeof value === 'number' ? (userIdOf(value) ?? phoneDigitsOf(value)) : null
    if (name === null) return false
    const isOne = known.get(name) ?? ctx.vault.marks(name).some((mark) => traces.has(mark))
    known.set(name, isOne)
    return isOne
  }
}

function forgetInBodyIn(
  tx: Tx,
  ctx: Ctx,
  bodyId: string,
  about: { changes: { entryIndex: number; changeIndex: number }[]; isTrace: IsTrace },
): void {
  const body = unpackedBody(ctx, bodyId) as { entry?: { changes?: { value?: unknown }[] }[] }
  let isChanged = false
  for (const { entryIndex, changeIndex } of about.changes) {
    const change = body.entry?.[entryIndex]?.changes?.[changeIndex]
    if (!isObject(change)) continue
    const left = withoutPerson(change['value'], about.isTrace)
    isChanged ||= left.isChanged
    change['value'] = left.value
  }
  if (!isChanged) return
  tx.update(inboundBodies)
    .set({ body: packBody(Buffer.from(JSON.stringify(body))) })
    .where(eq(inboundBodies.id, bodyId))
    .run()
  recentBodies(ctx).drop(bodyId)
}

interface Left<T = unknown> {
  value: T
  isChanged: boolean
}

/** A change's value without the smallest parts of its lists that name the person. */
function withoutPerson(value: unknown, isTrace: IsTrace): Left {
  if (!isObject(value)) return names(value, isTrace) ? { value: ERASED, isChanged: true } : { value, isChanged: false }
  const { metadata, ...members } = value
  const left = mapMembers(members, (member) => {
    const inner = stripped(member, isTrace, 0)
    return !Array.isArray(inner.value) && names(inner.value, isTrace) ? { value: null, isChanged: true } : inner
  })
  return { value: { ...(metadata === undefined ? {} : { metadata }), ...left.value }, isChanged: left.isChanged }
}

/** A value whose lists hold nothing that names the person. */
function stripped(value: unknown, isTrace: IsTrace, depth: number): Left {
  if (typeof value !== 'object' || value === null) return { value, isChanged: false }
  if (depth > DEEPEST) return { value: ERASED, isChanged: true }
  if (!Array.isArray(value)) return mapMembers(value as JsonObject, (member) => stripped(member, isTrace, depth + 1))
  const items = value.map((item: unknown): Left => {
    const inner = stripped(item, isTrace, depth + 1)
    return names(inner.value, isTrace) ? { value: ERASED, isChanged: true } : inner
  })
  return { value: items.map((item) => item.value), isChanged: items.some((item) => item.isChanged) }
}

function mapMembers(value: JsonObject, left: (member: unknown) => Left): Left<JsonObject> {
  const members = Object.entries(value).map(([key, member]) => [key, left(member)] as const)
  return {
    value: Object.fromEntries(members.map(([key, inner]) => [key, inner.value])),
    isChanged: members.some(([, inner]) => inner.isChanged),
  }
}

/** Whether a value is or holds one of the numbers and ids; its lists were looked through already. */
function names(value: unknown, isTrace: IsTrace): boolean {
  if (typeof value !== 'object' || value === null) return isTrace(value)
  return !Array.isArray(value) && Object.values(value).some((member) => names(member, isTrace))
}
