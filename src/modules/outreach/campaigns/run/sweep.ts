import { and, isNull, sql, type SQL } from 'drizzle-orm'

import { systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { pruneReach } from './quota'
import { findCampaign } from '../state'
import { continueIn } from './continue'
import { resumeIn } from './resume'
import { startDueIn } from './start'
import { campaigns } from '../table'
import type { CampaignRow } from '../view'
import { yieldToEventLoop } from '../../../../infra/event-loop'

const PAGE = 200

/** The condition for campaigns to process, by state. The text matches the partial index. */
const DUE = {
  scheduled: (nowMs: number) =>
    sql`${campaigns.status} = 'scheduled' and ${campaigns.scheduledAtMs} <= ${nowMs}`,
  paused: (nowMs: number) =>
    sql`${campaigns.status} = 'paused' and ${campaigns.resumesAtMs} <= ${nowMs}`,
  sending: () => sql`${campaigns.status} = 'sending'`,
} as const

type CampaignKey = Pick<CampaignRow, 'organizationId' | 'id'>

/** Returns a page of campaigns of all organizations, after the given one. */
const dueCampaigns = (ctx: Ctx, condition: SQL, after: CampaignKey): CampaignKey[] =>
  ctx.db.orm
    .select({ organizationId: campaigns.organizationId, id: campaigns.id })
    .from(campaigns)
    .where(
      inWorkingOrganizations(
        'the sweep goes through the campaigns of all organizations',
        campaigns,
        and(
          condition,
          isNull(campaigns.deletedAtMs),
          sql`(${campaigns.organizationId}, ${campaigns.id}) > (${sql.param(after.organizationId, campaigns.organizationId)}, ${sql.param(after.id, campaigns.id)})`,
        ),
      ),
    )
    .orderBy(campaigns.organizationId, campaigns.id)
    .limit(PAGE)
    .all()

/**
 * Starts campaigns that are due, resumes those whose pause has ended and re-enqueues lost jobs of
 * sending ones. Processes all campaigns and yields to the event loop between them.
 */
export async function sweepCampaigns(ctx: Ctx): Promise<void> {
  const nowMs = ctx.clock.nowMs()
  for (const status of ['scheduled', 'paused', 'sending'] as const)
    for (
      let after: CampaignKey | undefined = { organizationId: '', id: '' };
      after !== undefined;
    ) {
      const page: CampaignKey[] = dueCampaigns(ctx, DUE[status](nowMs), after)
      for (const { organizationId, id } of page) {
        transact(ctx.db, (tx) => sweepIn(tx, systemCtx(ctx, organizationId), id, nowMs))
        await yieldToEventLoop()
      }
      after = page.length < PAGE ? undefined : page.at(-1)
    }
  while (transact(ctx.db, (tx) => pruneReach(ctx, tx)) > 0) await yieldToEventLoop()
}

function sweepIn(tx: Tx, ctx: Ctx, id: string, nowMs: number): void {
  const row = findCampaign(ctx, id)
  if (row?.status === 'scheduled' && row.scheduledAtMs !== null && row.scheduledAtMs <= nowMs)
    startDueIn(tx, ctx, { campaignId: row.id, scheduledAtMs: row.scheduledAtMs })
  if (row?.status === 'sending') continueIn(tx, ctx, row)
  if (row?.status === 'paused' && row.resumesAtMs !== null && row.resumesAtMs <= nowMs)
    resumeIn(tx, ctx, row.id, { ignoresErrors: false, asker: null })
}
