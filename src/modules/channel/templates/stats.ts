import { and, count, eq, gte, inArray, isNotNull, lt, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { amountOf } from '../../../lib/money'
import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { messages, messageTemplates } from '../../inbox/messages/table'
import { defaultCurrency } from '../prices/lookup'
import type { TemplateStats } from './preview-model'
import { requireTemplate } from './queries'

const DEFAULT_SPAN_MS = 30 * DAY_MS

const MAX_SPAN_MS = 366 * DAY_MS

/**
 * Returns delivery counts, clicks and cost of the messages sent with a template, by default in the
 * last 30 days. Throws NotFoundError and InvalidError.
 */
export function templateStats(
  ctx: ReadCtx,
  {
    templateId,
    ...span
  }: { templateId: string; fromMs?: number | undefined; toMs?: number | undefined },
): TemplateStats {
  requireTemplate(ctx, templateId)
  const toMs = span.toMs ?? ctx.clock.nowMs() + 1
  const fromMs = span.fromMs ?? toMs - DEFAULT_SPAN_MS
  if (fromMs >= toMs || toMs - fromMs > MAX_SPAN_MS)
    throw new InvalidError('`from` must be before `to`, by 366 days at most.', {
      errors: [{ path: 'query.from', message: 'must be before to, by 366 days at most' }],
    })
  const sentWithin = inOrganization(
    ctx,
    messageTemplates,
    and(
      eq(messageTemplates.templateId, templateId),
      gte(messageTemplates.createdAtMs, fromMs),
      lt(messageTemplates.createdAtMs, toMs),
    ),
  )
  const { sent, delivered, read, failed, cost } = totalsOf(ctx, sentWithin)
  return { sent, delivered, read, failed, clicks: clicksOf(ctx, sentWithin), cost }
}

const NO_MESSAGES = { sent: 0, delivered: 0, read: 0, failed: 0, micros: 0, unpriced: 0 }

/**
 * Returns the counts and the cost that the platform has settled, in the default currency; `null` if
 * a price is unknown.
 */
function totalsOf(ctx: ReadCtx, sentWithin: SQL): Omit<TemplateStats, 'clicks'> {
  const currency = defaultCurrency(ctx)
  const { status, isCostEstimate, costMicros, costCurrency } = messages
  const isSettled = eq(isCostEstimate, false)
  const countIf = (condition: SQL | undefined): SQL<number> =>
    sql<number>`count(*) filter (where ${condition})`
  const { micros, unpriced, ...counts } =
    ctx.db.orm
      .select({
        sent: count(messages.sentAtMs),
        delivered: countIf(inArray(status, ['delivered', 'read'])),
        read: countIf(eq(status, 'read')),
        failed: countIf(eq(status, 'failed')),
        micros: sql<number>`coalesce(sum(${costMicros}) filter (where ${and(isSettled, eq(costCurrency, currency ?? ''))}), 0)`,
        unpriced: countIf(and(isSettled, sql`${costMicros} is null`)),
      })
      .from(messageTemplates)
      .innerJoin(
        messages,
        and(
          eq(messages.organizationId, messageTemplates.organizationId),
          eq(messages.id, messageTemplates.messageId),
        ),
      )
      .where(sentWithin)
      .get() ?? NO_MESSAGES
  const isKnown = unpriced === 0 && currency !== null
  return { ...counts, cost: isKnown ? { amount: amountOf(micros), currency } : null }
}

/** A tap on a quick reply is a message that quotes the template message. */
function clicksOf(ctx: ReadCtx, sentWithin: SQL): TemplateStats['clicks'] {
  const button = sql<string>`json_extract(${messages.content}, '$.title')`
  return ctx.db.orm
    .select({ button, count: count() })
    .from(messageTemplates)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageTemplates.organizationId),
        eq(messages.replyToId, messageTemplates.messageId),
        isNotNull(messages.replyToId), // the text matches the partial index
        eq(messages.direction, 'incoming'),
        sql`json_extract(${messages.content}, '$.kind') = 'template_button'`,
        isNotNull(button),
      ),
    )
    .where(sentWithin)
    .groupBy(sql`1`)
    .all()
}
