import { and, count, eq, isNotNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { describeError } from '../../campaigns/results/describe-error'
import { campaignRecipients } from '../../campaigns/table'

/** Why messages of a campaign failed, and how many did. */
export interface Failure {
  code: string
  message: string
  count: number
}

/** Number of reasons listed. */
const MAX_REASONS = 10

/** Returns why messages of a campaign failed. */
export function failuresOf(ctx: Ctx, campaignId: string): Failure[] {
  const ofCampaign = and(
    eq(campaignRecipients.campaignId, campaignId),
    isNotNull(campaignRecipients.errorCode),
  )
  return ctx.db.orm
    .select({ code: campaignRecipients.errorCode, count: count() })
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, ofCampaign))
    .groupBy(campaignRecipients.errorCode)
    .all()
    .map(({ code, count: number }) => ({
      code: code ?? '', // the condition excludes null
      message: messageOf(ctx, campaignId, code ?? ''),
      count: number,
    }))
}

/** Returns the description of an error, from one of the recipients who have it. */
function messageOf(ctx: Ctx, campaignId: string, code: string): string {
  const row = ctx.db.orm
    .select({ error: campaignRecipients.error })
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, campaignId),
          isNotNull(campaignRecipients.errorCode),
          eq(campaignRecipients.errorCode, code),
        ),
      ),
    )
    .limit(1)
    .get()
  return row?.error == null ? '' : describeError(row.error)
}

/** Adds up failures with the same code. Returns the most frequent ones. */
export function mostFrequent(failures: readonly Failure[]): Failure[] {
  const byCode = new Map<string, Failure>()
  for (const failure of failures) {
    const known = byCode.get(failure.code)
    byCode.set(failure.code, known ? { ...known, count: known.count + failure.count } : failure)
  }
  return [...byCode.values()]
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_REASONS)
}
