import { and, desc, eq, gt, isNotNull, max, sql, type SQL } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { campaignErrors, campaignRecipients, campaigns } from '../table'
import { describeError } from './describe-error'

/** An error, and how many recipients of a campaign have it. */
export interface ErrorCount {
  code: string
  message: string
  count: number
}

/** Returns the most frequent errors of a campaign, of all recipients or of failed ones. */
export function errorsOf(
  ctx: ReadCtx,
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
function messageOf(ctx: ReadCtx, campaignId: string, code: string): string {
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

/** Returns the most frequent errors of failed recipients in all campaigns with a condition. */
export const failuresOf = (ctx: ReadCtx, condition: SQL | undefined, limit: number): ErrorCount[] =>
  ctx.db.orm
    .select({
      code: campaignErrors.code,
      count: sql<number>`sum(${campaignErrors.failed})`.as('failures'),
      // Beside `max`, SQLite takes other columns from the row that has it.
      most: max(campaignErrors.failed),
      campaignId: campaignErrors.campaignId,
    })
    .from(campaigns)
    .innerJoin(
      campaignErrors,
      and(
        eq(campaignErrors.organizationId, campaigns.organizationId),
        eq(campaignErrors.campaignId, campaigns.id),
        gt(campaignErrors.failed, 0),
      ),
    )
    .where(inOrganization(ctx, campaigns, condition))
    .groupBy(campaignErrors.code)
    .orderBy(sql`failures desc`, campaignErrors.code)
    .limit(limit)
    .all()
    .map(({ campaignId, code, count }) => ({
      code,
      message: messageOf(ctx, campaignId, code),
      count,
    }))
