import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { expedite } from '../../../../infra/jobs/waiting-jobs'
import { findAccount } from '../../../channel/accounts/queries'
import { isRestricted } from '../../../channel/accounts/view'
import { DispatchCampaign } from '../jobs'
import { blockerOfAccount, blockerOfFunding, blockerOfTemplate } from './blockers'
import { pauseAutomaticallyIn } from './pause-automatically'
import { changeCampaignIn } from '../state'
import { resumeIn } from './resume'
import { campaigns } from '../table'
import { findTemplateOf } from '../draft/template'
import type { CampaignRow } from '../view'

const campaignsInState = (
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
 * Pauses the campaigns of a phone number that can no longer send; otherwise dispatches them at
 * once. Campaigns paused by a restriction or a missing payment method follow its end: they resume
 * when it is over, unless something else is in the way. Runs inside the caller's transaction.
 */
export function watchAccountIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const nowMs = ctx.clock.nowMs()
  const account = findAccount(ctx, accountId)
  const blocker = blockerOfAccount(account, nowMs) ?? blockerOfFunding(account)
  const ofAccount = eq(campaigns.accountId, accountId)
  for (const { id } of campaignsInState(tx, ctx, 'sending', ofAccount))
    if (blocker)
      pauseAutomaticallyIn(tx, ctx, id, {
        reason: blocker.reason,
        resumesAtMs: blocker.untilMs,
        note: blocker.message,
      })
    else expedite(tx, ctx, { kind: DispatchCampaign.name, orderingKeys: [`campaign:${id}`] })
  const isOver = {
    restriction: !account || !isRestricted(account, nowMs),
    funding: account?.fundingState !== 'missing',
  }
  for (const row of campaignsInState(
    tx,
    ctx,
    'paused',
    and(ofAccount, inArray(campaigns.pauseReason, ['restriction', 'funding'])),
  ))
    if (isOver[row.pauseReason === 'funding' ? 'funding' : 'restriction'])
      resumeIn(tx, ctx, row.id, { ignoresErrors: false, asker: null })
    else if (row.pauseReason === 'restriction' && row.resumesAtMs !== account?.restrictedUntilMs)
      changeCampaignIn(tx, ctx, row.id, { resumesAtMs: account?.restrictedUntilMs ?? null })
}

/**
 * Pauses the campaigns of a template that can no longer be sent or whose category changed. Runs
 * inside the caller's transaction.
 */
export function watchTemplateIn(
  tx: Tx,
  ctx: Ctx,
  event: { templateId: string; changed: string[] },
): void {
  const blocker = blockerOfTemplate(ctx, findTemplateOf(ctx, event.templateId), null)
  const hasNewCategory = event.changed.includes('category')
  if (!blocker && !hasNewCategory) return
  const note =
    blocker?.message ?? 'WhatsApp changed the category of its template, which may change the price.'
  for (const { id } of campaignsInState(
    tx,
    ctx,
    'sending',
    eq(campaigns.templateId, event.templateId),
  ))
    pauseAutomaticallyIn(tx, ctx, id, { reason: 'template', note })
}
