import { eq, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { campaignCounts, campaigns } from '../table'
import type { Difference } from './compare-counts'
import { CompareCounts } from './readers'

/**
 * Compares the counters of every campaign with its recipients and corrects them. Returns the
 * differences, each of which is a bug.
 */
export async function correctCounts(
  ctx: Ctx,
): Promise<(Difference & { organizationId: string; campaignId: string })[]> {
  const found = []
  for (let after = { organizationId: '', id: '' }; ;) {
    const next = ctx.db.orm
      .select({ organizationId: campaigns.organizationId, id: campaigns.id })
      .from(campaigns)
      .where(
        inWorkingOrganizations(
          'the sweep goes through the campaigns of all organizations',
          campaigns,
          sql`(${campaigns.organizationId}, ${campaigns.id}) > (${sql.param(after.organizationId, campaigns.organizationId)}, ${sql.param(after.id, campaigns.id)})`,
        ),
      )
      .orderBy(campaigns.organizationId, campaigns.id)
      .limit(1)
      .get()
    if (!next) return found
    const own = systemCtx(ctx, next.organizationId)
    const differences = await own.reads.value(CompareCounts, own, next.id)
    if (differences.length > 0) correct(own, next.id, differences)
    for (const difference of differences)
      found.push({ organizationId: next.organizationId, campaignId: next.id, ...difference })
    after = next
  }
}

/** Adds what counters lack: recipients may have changed since, and their triggers counted that. */
function correct(ctx: Ctx, campaignId: string, differences: Difference[]): void {
  const set = Object.fromEntries(
    differences.map(({ field, kept, counted }) => [
      field,
      sql`${campaignCounts[field]} + ${counted - kept}`,
    ]),
  )
  transact(ctx.db, (tx) => {
    tx.update(campaignCounts)
      .set(set)
      .where(inOrganization(ctx, campaignCounts, eq(campaignCounts.campaignId, campaignId)))
      .run()
  })
}
