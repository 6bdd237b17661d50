import { inArray, lt, type SQL } from 'drizzle-orm'

import { DAY_MS, SECOND_MS } from '../../../../lib/clock'
import type { Ctx, Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { of } from '../../../../infra/scoped'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { WorkProgressed } from '../events'
import { works } from './table'
import { workView } from './view'

/** Work that begins. */
export type NewWork = Pick<typeof works.$inferSelect, 'id' | 'kind' | 'title' | 'total' | 'link'>

/** How far work is. What is left out stays as it is. */
export type WorkNow = Partial<Pick<typeof works.$inferSelect, 'state' | 'done' | 'total'>>

/** Minimum interval between two published counts of the same work, milliseconds. */
const MIN_INTERVAL_MS = SECOND_MS

/**
 * Tells a person that work begins, or begins again, which they asked for. Work of an API key or of
 * the server is told to nobody. Runs inside the caller's transaction.
 */
export function beginWorkIn(tx: Tx, ctx: Ctx, work: NewWork): void {
  const { id } = work
  const { userId, apiKeyId } = ctx.actor
  of(ctx, works).delete(tx, { id })
  if (userId === null || apiKeyId !== null) return
  const nowMs = ctx.clock.nowMs()
  const start = { userId, state: 'running', done: 0, startedAtMs: nowMs } as const
  tellIn(tx, ctx, of(ctx, works).insert(tx, { ...work, ...start, publishedAtMs: nowMs }))
}

/**
 * Tells the person who asked for work how far it is: a change of its state at once, counts at most
 * once a second. Runs inside the caller's transaction.
 */
export function advanceWorkIn(tx: Tx, ctx: Ctx, id: string, now: WorkNow): void {
  const known = of(ctx, works).find({ id })
  if (!known) return
  const nowMs = ctx.clock.nowMs()
  const state = now.state ?? known.state
  if (known.state === state && Math.abs(nowMs - known.publishedAtMs) < MIN_INTERVAL_MS) return
  const endedAtMs = state === 'running' ? null : nowMs
  const [row] = of(ctx, works).update(tx, { id }, { ...now, endedAtMs, publishedAtMs: nowMs })
  if (row) tellIn(tx, ctx, row)
}

const tellIn = (tx: Tx, ctx: Ctx, row: typeof works.$inferSelect): void =>
  emit(tx, ctx, WorkProgressed, {
    contactId: null,
    payload: { userId: row.userId, work: workView(row) },
  })

/** How long work is kept. */
const KEPT_MS = 7 * DAY_MS

const BATCH = 500

/** Deletes a batch of work that began more than seven days ago. Returns the number deleted. */
export function pruneWork(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const areOld = (condition: SQL): SQL | undefined =>
      inWorkingOrganizations('old work is pruned for all organizations at once', works, condition)
    const old = tx
      .select({ id: works.id })
      .from(works)
      .where(areOld(lt(works.startedAtMs, deps.clock.nowMs() - KEPT_MS)))
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    tx.delete(works)
      .where(areOld(inArray(works.id, old)))
      .run()
    return old.length
  })
}
