import { and, count, eq, gt, inArray, notInArray, or, isNull } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { ChatbotSettings } from '../../chatbot-settings/catalog'
import { notifyIn } from '../../../organization/notifications/service'
import { holdersOf } from '../../../organization/roles/holders'
import { aiUsage } from '../table'
import type { ProviderTarget } from './breaker'
import { addToDayIn, recordNoticeIn, today, usedInMonth, usedOnDay } from './days'
import { costOf, fitsBudget, type TokenCounts } from './rules'
import { noticeText } from '../../../organization/notifications/catalog'

/** A row of the usage table. */
export type UsageRow = typeof aiUsage.$inferSelect

/**
 * Reports whether a contact got as many answers within the last hour as it may get. Previews and
 * tests answer nobody.
 */
export function exceedsContactLimit(ctx: Ctx, contactId: string | null, limit: number): boolean {
  if (contactId === null) return false
  const recent = ctx.db.orm
    .select({ calls: count() })
    .from(aiUsage)
    .where(
      inOrganization(
        ctx,
        aiUsage,
        and(
          eq(aiUsage.contactId, contactId),
          inArray(aiUsage.purpose, ['answer', 'flow']),
          gt(aiUsage.createdAtMs, ctx.clock.nowMs() - HOUR_MS),
          or(
            isNull(aiUsage.outcome),
            notInArray(aiUsage.outcome, ['failed', 'unknown', 'not_called']),
          ),
        ),
      ),
    )
    .get()
  return (recent?.calls ?? 0) >= limit
}

/** A call for which budget is held back. */
interface NewCall {
  settings: Readonly<ChatbotSettings>
  target: ProviderTarget
  question: Pick<UsageRow, 'purpose' | 'contactId' | 'accountId'>
  /** The most tokens that it will use. */
  call: TokenCounts
}

/**
 * Holds back budget for a call and returns its ID, in the caller's transaction; `null` if the
 * budget has no room for it.
 */
export function reserveIn(
  tx: Tx,
  ctx: Ctx,
  { settings, target, question, call }: NewCall,
): string | null {
  const day = today(ctx)
  const used = { day: usedOnDay(ctx, day), month: usedInMonth(ctx, day) }
  if (!fitsBudget(settings, { ...used, call })) return null
  const id = ctx.ids.next()
  const reserved = {
    reservedTokens: call.inputTokens + call.outputTokens,
    reservedMicros: costOf(settings, call) ?? 0,
  }
  const { purpose, contactId, accountId } = question
  tx.insert(aiUsage)
    .values({
      organizationId: ctx.organizationId,
      id,
      contactId,
      accountId,
      purpose,
      provider: target.provider,
      model: target.model,
      day,
      ...reserved,
      createdAtMs: ctx.clock.nowMs(),
    })
    .run()
  addToDayIn(tx, ctx, day, reserved)
  return id
}

/**
 * Notifies the people who may change the chatbot that a budget is used up, once a day, in the
 * caller's transaction.
 */
export function notifyAboutBudgetIn(tx: Tx, ctx: Ctx): void {
  if (!recordNoticeIn(tx, ctx, today(ctx))) return
  for (const userId of holdersOf(tx, ctx, 'chatbot:update'))
    notifyIn(tx, ctx, {
      userId,
      kind: 'ai_budget_reached',
      severity: 'warning',
      title: 'The AI budget is used up',
      text: noticeText('ai_budget_reached'),
      body:
        'The bot answers without AI until the budget has room again: the daily one tomorrow, the ' +
        'monthly ones next month.',
      link: '/bot/ai',
    })
}
