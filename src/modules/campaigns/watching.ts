import { and, eq, inArray, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { hurry } from '../../infra/jobs/enqueue'
import { findAccount } from '../accounts/state'
import { dispatchCampaign } from './dispatching/jobs'
import { obstacleOfAccount, obstacleOfTemplate } from './obstacles'
import { pauseByItselfIn } from './pausing'
import { campaigns } from './table'
import { findTemplateOf } from './templating'

const sending = (tx: Tx, ctx: Ctx, of: 'accountId' | 'templateId', id: string) =>
  tx
    .select()
    .from(campaigns)
    .where(
      inOrganization(ctx, campaigns, and(eq(campaigns[of], id), inArray(campaigns.status, ['sending']), isNull(campaigns.deletedAtMs))),
    )
    .limit(1_000)
    .all()

/** Pauses the campaigns of a number that cannot send any more, in the caller's transaction; others look again whether they can. */
export function watchAccountIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const obstacle = obstacleOfAccount(findAccount(ctx, accountId), ctx.clock.nowMs())
  for (const { id } of sending(tx, ctx, 'accountId', accountId))
    if (obstacle) pauseByItselfIn(tx, ctx, id, { reason: obstacle.reason, resumesAtMs: obstacle.untilMs, note: obstacle.message })
    else hurry(tx, ctx, { kind: dispatchCampaign.name, serialKeys: [`campaign:${id}`] })
}

/** Pauses the campaigns of a template that cannot be sent any more, or that costs something else now, in the caller's transaction. */
export function watchTemplateIn(tx: Tx, ctx: Ctx, news: { templateId: string; changed: string[] }): void {
  const obstacle = obstacleOfTemplate(ctx, findTemplateOf(ctx, news.templateId), null)
  const isOtherwise = news.changed.includes('category')
  if (!obstacle && !isOtherwise) return
  const note = obstacle?.message ?? 'The platform gave its template another category, which may cost something else.'
  for (const { id } of sending(tx, ctx, 'templateId', news.templateId)) pauseByItselfIn(tx, ctx, id, { reason: 'template', note })
}
