import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { amountOf } from '../../../lib/money'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { messages, messageTemplates } from '../../inbox/messages/table'
import { defaultCurrency } from '../prices/lookup'
import type { TemplateStats } from './preview-model'
import { requireTemplate } from './queries'
import { yieldToEventLoop } from '../../../infra/event-loop'

const BATCH = 5_000

const DEFAULT_SPAN_MS = 30 * DAY_MS

const MAX_SPAN_MS = 366 * DAY_MS

interface Totals {
  sent: number
  delivered: number
  read: number
  failed: number
  clicks: Map<string, number>
  /** Micros in the default currency that the platform has settled; `null` if a price is unknown. */
  micros: number | null
}

/**
 * Returns delivery counts, clicks and cost of the messages sent with a template, by default in the
 * last 30 days. Reads in batches and yields in between. Throws NotFoundError and InvalidError.
 */
export async function templateStats(
  ctx: Ctx,
  id: string,
  span: { fromMs?: number | undefined; toMs?: number | undefined },
): Promise<TemplateStats> {
  requireTemplate(ctx, id)
  const toMs = span.toMs ?? ctx.clock.nowMs() + 1
  const fromMs = span.fromMs ?? toMs - DEFAULT_SPAN_MS
  if (fromMs >= toMs || toMs - fromMs > MAX_SPAN_MS)
    throw new InvalidError('`from` must be before `to`, by 366 days at most.', {
      errors: [{ path: 'query.from', message: 'must be before to, by 366 days at most' }],
    })
  const currency = defaultCurrency(ctx)
  const totals: Totals = {
    sent: 0,
    delivered: 0,
    read: 0,
    failed: 0,
    clicks: new Map(),
    micros: 0,
  }
  for (let after = ''; ;) {
    const rows = nextBatch(ctx, id, { fromMs, toMs, after })
    for (const row of rows) add(totals, row, currency)
    countClicks(
      ctx,
      totals,
      rows.map((row) => row.id),
    )
    const last = rows.at(-1)
    if (rows.length < BATCH || !last) break
    after = last.id
    await yieldToEventLoop()
  }
  const { micros, clicks, ...counts } = totals
  return {
    ...counts,
    clicks: [...clicks].map(([button, count]) => ({ button, count })),
    cost: micros === null || currency === null ? null : { amount: amountOf(micros), currency },
  }
}

/** Returns the next messages of a template by ID. */
const nextBatch = (
  ctx: Ctx,
  templateId: string,
  at: { fromMs: number; toMs: number; after: string },
) =>
  ctx.db.orm
    .select({
      id: messages.id,
      status: messages.status,
      sentAtMs: messages.sentAtMs,
      costMicros: messages.costMicros,
      costCurrency: messages.costCurrency,
      isCostEstimate: messages.isCostEstimate,
    })
    .from(messageTemplates)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageTemplates.organizationId),
        eq(messages.id, messageTemplates.messageId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        messageTemplates,
        and(
          eq(messageTemplates.templateId, templateId),
          gte(messageTemplates.createdAtMs, at.fromMs),
          lt(messageTemplates.createdAtMs, at.toMs),
          gt(messageTemplates.messageId, at.after),
        ),
      ),
    )
    .orderBy(messageTemplates.messageId)
    .limit(BATCH)
    .all()

function add(
  totals: Totals,
  row: ReturnType<typeof nextBatch>[number],
  currency: string | null,
): void {
  if (row.sentAtMs !== null) totals.sent += 1
  if (['delivered', 'read'].includes(row.status)) totals.delivered += 1
  if (row.status === 'read') totals.read += 1
  if (row.status === 'failed') totals.failed += 1
  if (row.isCostEstimate || totals.micros === null) return
  if (row.costMicros === null) totals.micros = null
  else if (row.costCurrency === currency) totals.micros += row.costMicros
}

/** A tap on a quick reply is a message that quotes the template message. */
function countClicks(ctx: Ctx, totals: Totals, ids: string[]): void {
  if (ids.length === 0) return
  const button = sql<string | null>`json_extract(${messages.content}, '$.title')`
  const taps = ctx.db.orm
    .select({ button, taps: sql<number>`count(*)` })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          inArray(messages.replyToId, ids),
          isNotNull(messages.replyToId),
          eq(messages.direction, 'incoming'),
          sql`json_extract(${messages.content}, '$.kind') = 'template_button'`,
        ),
      ),
    )
    .groupBy(button)
    .all()
  for (const tap of taps)
    if (tap.button !== null)
      totals.clicks.set(tap.button, (totals.clicks.get(tap.button) ?? 0) + tap.taps)
}
