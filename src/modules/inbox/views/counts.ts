import { Type, type Static } from '@sinclair/typebox'

import { SECOND_MS } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { campaignFilterOf, campaignFilters } from '../../outreach/campaigns/list-query'
import { countCampaignsUpTo } from '../../outreach/campaigns/queries'
import { contactFilters, contactQueryOf } from '../contacts/list-query'
import { countContactsUpTo } from '../contacts/queries'
import { countConversationsUpTo } from '../conversations/counts'
import { conversationFilterOf, conversationFilters } from '../conversations/list-query'
import type { ViewCountsAnswer } from './model'
import { findViews, mayRead } from './queries'
import type { ViewRow } from './row'

/** Counts end here. */
const MOST = 1_000

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

const [Conversations, Contacts, Campaigns] = [
  Type.Object(conversationFilters),
  Type.Object(contactFilters),
  Type.Object(campaignFilters),
]

/** Counts the rows of a view, or returns `null` if they cannot be counted. */
async function countView(ctx: Ctx, { resource, filter }: ViewRow): Promise<number | null> {
  if (!mayRead(ctx, resource)) return null
  const query: unknown = JSON.parse(filter) // checked by the schema of the list when it was saved
  try {
    if (resource === 'conversations')
      return await countConversationsUpTo(
        ctx,
        conversationFilterOf(query as Static<typeof Conversations>),
        MOST,
      )
    if (resource === 'contacts')
      return await countContactsUpTo(ctx, contactQueryOf(query as Static<typeof Contacts>), MOST)
    return countCampaignsUpTo(ctx, campaignFilterOf(query as Static<typeof Campaigns>), MOST)
  } catch (error) {
    // The segment of the view is too expensive, or names a custom field that no longer exists.
    if (error instanceof InvalidError) return null
    throw error
  }
}
