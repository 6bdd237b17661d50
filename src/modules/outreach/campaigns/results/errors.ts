import { and, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { campaignErrors, campaignRecipients } from '../table'
import { describeError } from './describe-error'

/** An error, and how many recipients of a campaign have it. */
export interface ErrorCount {
  code: string
  message: string
  count: number
}

/** Returns the most frequent errors of a campaign, of all recipients or of failed ones. */
export function errorsOf(
  ctx: Ctx,
  campaignId: string,
  { of, limit }: { of: 'recipients' | 'failed'; limit: number },
): ErrorCount[] {
  const count = campaignErrors[of]
  return ctx.db.orm
    .select({ code: campaignErrors.code, count })
    .from(campaignErrors)
    .where(
      inOrganization(
        ctx,
        campaignErrors,
        and(eq(campaignErrors.campaignId, campaignId), gt(count, 0)),
      ),
    )
    .orderBy(desc(count), campaignErrors.code)
    .limit(limit)
    .all()
    .map(({ code, count: number }) => ({
      code,
      message: messageOf(ctx, campaignId, code),
      count: number,
    }))
}

/** Returns the description of an error as one of the recipients has it. */
export function messageOf(ctx: Ctx, campaignId: string, code: string): string {
  const row = ctx.db.orm
    .select({ error: campaignRecipients.error })
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, campaignId),
          // The text matches the partial index.
          sql`${campaignRecipients.errorCode} is not null`,
          eq(campaignRecipients.errorCode, code),
          isNotNull(campaignRecipients.error), // an erased person has none
        ),
      ),
    )
    .limit(1)
    .get()
  return describeError(row?.error ?? null)
}

/** Returns how many recipients of some campaigns failed with each error, by campaign. */
export const failuresOf = (
  ctx: Ctx,
  campaignIds: string[],
): { campaignId: string; code: string; count: number }[] =>
  ctx.db.orm
    .select({
      campaignId: campaignErrors.campaignId,
      code: campaignErrors.code,
      count: campaignErrors.failed,
    })
    .from(campaignErrors)
    .where(
      inOrganization(
        ctx,
        campaignErrors,
        and(inArray(campaignErrors.campaignId, campaignIds), gt(campaignErrors.failed, 0)),
      ),
    )
    .all()
