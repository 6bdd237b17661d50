import { and, eq, isNull, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { expedite } from '../../../infra/jobs/enqueue'
import { findAccount } from '../../accounts/queries'
import { isRestricted } from '../../accounts/view'
import { DispatchCampaign } from '../jobs'
import { blockerOfAccount, blockerOfTemplate } from './blockers'
import { pauseAutomaticallyIn } from './pause-automatically'
import { changeCampaignIn } from '../state'
import { resumeIn } from './start'
import { campaigns } from '../table'
import { findTemplateOf } from '../draft/template'
import type { CampaignRow } from '../view'

const inState = (
  tx: Tx,
  ctx: Ctx,
  status: CampaignRow['status'],
  condition: SQL | undefined,
): CampaignRow[] =>
  tx
    .select()
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(eq(campaigns.status, status), isNull(campaigns.deletedAtMs), condition),
      ),
    )
    .limit(1_000)
    .all()

/**
 * Pauses the campaigns of a number that cannot send any more, in the caller's transaction; others
 * look again whether they can. Those that are paused because the platform let the number only
 * answer follow the end of that: it may be put off, and when it has come they go on.
 */
export function watchAccountIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const nowMs = ctx.clock.nowMs()
  const account = findAccount(ctx, accountId)
  const obstacle = blockerOfAccount(account, nowMs)
  const ofAccount = eq(campaigns.accountId, accountId)
  for (const { id } of inState(tx, ctx, 'sending', ofAccount))
    if (obstacle)
      pauseAutomaticallyIn(tx, ctx, id, {
        reason: obstacle.reason,
        resumesAtMs: obstacle.untilMs,
        note: obstacle.message,
      })
    else expedite(tx, ctx, { kind: DispatchCampaign.name, serialKeys: [`campaign:${id}`] })
  for (const row of inState(
    tx,
    ctx,
    'paused',
    and(ofAccount, eq(campaigns.pauseReason, 'restriction')),
  ))
    if (!account || !isRestricted(account, nowMs))
      resumeIn(tx, ctx, row.id, { ignoresErrors: false, asker: null })
    else if (row.resumesAtMs !== account.restrictedUntilMs)
      changeCampaignIn(tx, ctx, row.id, { resumesAtMs: account.restrictedUntilMs })
}

/**
 * Pauses the campaigns of a template that cannot be sent any more, or that costs something else
 * now, in the caller's transaction.
 */
export function watchTemplateIn(
  tx: Tx,
  ctx: Ctx,
  news: { templateId: string; changed: string[] },
): void {
  const obstacle = blockerOfTemplate(ctx, findTemplateOf(ctx, news.templateId), null)
  const isOtherwise = news.changed.includes('category')
  if (!obstacle && !isOtherwise) return
  const note =
    obstacle?.message ??
    'The platform changed the category of its template, which may change the price.'
  for (const { id } of inState(tx, ctx, 'sending', eq(campaigns.templateId, news.templateId)))
    pauseAutomaticallyIn(tx, ctx, id, { reason: 'template', note })
}
