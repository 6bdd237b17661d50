import { SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { ViewCountsAnswer } from './model'
import { findViews, mayRead } from './queries'
import { CountView } from './readers'
import type { ViewRow } from './table'

/** A count is calculated again after this time at the earliest, in milliseconds. */
const FRESH_MS = 5 * SECOND_MS

/** Number of counts kept in memory. */
const MAX_KEPT = 5_000

interface KeptCount {
  atMs: number
  count: Promise<number | null>
}

/** Counts of the last seconds, by organization, person and version of a view. */
export class RecentViewCounts {
  private readonly kept = new Map<string, KeptCount>()

  /** Returns the count of the last five seconds, otherwise what `calculate` returns. */
  get(key: string, nowMs: number, calculate: () => Promise<number | null>): Promise<number | null> {
    const known = this.kept.get(key)
    const age = nowMs - (known?.atMs ?? 0)
    if (known && age >= 0 && age < FRESH_MS) return known.count
    const count = calculate()
    this.kept.delete(key)
    const [oldest] = this.kept.keys()
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(key, { atMs: nowMs, count })
    // A count that failed must not be kept.
    count.catch(() => this.kept.delete(key))
    return count
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** Counts of saved views of the last seconds. */
    viewCounts: RecentViewCounts
  }
}

/**
 * Counts the rows that views show to the caller, one view after the other. Leaves out views that
 * the caller does not see.
 */
export async function countViews(ctx: Ctx, ids: string[]): Promise<ViewCountsAnswer> {
  const counts: ViewCountsAnswer = {}
  for (const row of findViews(ctx, ids)) {
    const key = [ctx.organizationId, ctx.actor.userId, row.id, row.updatedAtMs].join(' ')
    // Views are counted one by one, so that nobody's views fill the server.
    counts[row.id] = await ctx.viewCounts.get(key, ctx.clock.nowMs(), () => countView(ctx, row))
  }
  return counts
}

/** Counts the rows of a view, or returns `null` if they cannot be counted. */
const countView = async (ctx: Ctx, { resource, filter }: ViewRow): Promise<number | null> =>
  mayRead(ctx, resource) ? await ctx.reads.value(CountView, ctx, { resource, filter }) : null
