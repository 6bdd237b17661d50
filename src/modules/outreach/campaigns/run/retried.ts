import { and, count, eq, inArray, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import type { CampaignRetryArgs } from '../jobs'
import { campaignRecipients } from '../table'

/** The recipients that a request retries, and the time of the request. */
export type Selection = Omit<CampaignRetryArgs, 'after'>

/**
 * Returns the condition for the recipients of a retry. Messages that the platform held back by its
 * marketing limit are not retried before the time that the error names.
 */
export function isSelected({
  campaignId,
  codes,
  includeUnknown,
  requestedAtMs,
}: Selection): SQL | undefined {
  const { errorCode, error, status } = campaignRecipients
  const isWanted =
    codes === null ? sql`json_extract(${error}, '$.retryable') = 1` : inArray(errorCode, codes)
  const isDue = sql`coalesce(json_extract(${error}, '$.retry_after'), '') <= ${isoTime(requestedAtMs)}`
  const failed = and(eq(status, 'failed'), isWanted, isDue)
  const wanted = includeUnknown ? or(failed, eq(status, 'unknown')) : failed
  return and(eq(campaignRecipients.campaignId, campaignId), wanted)
}

/** Counts the recipients of a retry without those of other retries. */
export function countRetried(
  ctx: ReadCtx,
  { selection, others }: { selection: Selection; others: Selection[] },
): number {
  // A condition on codes is null for a recipient without a code.
  const isOthers = others.map((other) => sql`not coalesce((${isSelected(other)}), 0)`)
  return (
    ctx.db.orm
      .select({ rows: count() })
      .from(campaignRecipients)
      .where(inOrganization(ctx, campaignRecipients, isSelected(selection), ...isOthers))
      .get()?.rows ?? 0
  )
}
