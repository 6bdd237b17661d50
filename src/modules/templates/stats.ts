import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { InvalidError } from '../../lib/errors'
import { amountOf } from '../../lib/money'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { contacts } from '../contacts/table'
import { messages, messageTemplates } from '../messages/table'
import { defaultCurrency, findPrice, priceChanges, type Cost } from '../prices/lookup'
import type { TemplateStats } from './model'
import { templateOf } from './state'
import { yieldToEventLoop } from '../../infra/event-loop'

const BATCH = 5_000
const DEFAULT_SPAN_MS = 30 * DAY_MS
const MAX_SPAN_MS = 366 * DAY_MS

interface Sums {
  sent: number
  delivered: number
  read: number
  failed: number
  clicks: Map<string, number>
  /** Billable messages by country, category and the span in which no price changed. */
  billed: Map<string, { country: string | null; category: string; atMs: number; count: number }>
}

/**
 * What became of the messages made with a template in a span of time, by default the last thirty
 * days. Counted in slices, with turns for others in between. Throws NotFoundError and InvalidError.
 */
export async function templateStats(
  ctx: Ctx,
  id: string,
  span: { fromMs?: number | undefined; toMs?: number | undefined },
): Promise<TemplateStats> {
  templateOf(ctx, id)
  const toMs = span.toMs ?? ctx.clock.nowMs() + 1
  const fromMs = span.fromMs ?? toMs - DEFAULT_SPAN_MS
  if (fromMs >= toMs || toMs - fromMs > MAX_SPAN_MS)
    throw new InvalidError('`from` must be before `to`, by 366 days at most.', {
      errors: [{ path: 'query.from', message: 'must be before to, by 366 days at most' }],
    })
  const changes = priceChanges(ctx)
  const sums: Sums = {
    sent: 0,
    delivered: 0,
    read: 0,
    failed: 0,
    clicks: new Map(),
    billed: new Map(),
  }
  for (let after = ''; ;) {
    const rows = sliceOf(ctx, id, { fromMs, toMs, after })
    for (const row of rows) add(sums, row, changes)
    countClicks(
      ctx,
      sums,
      rows.map((row) => row.id),
    )
    const last = rows.at(-1)
    if (rows.length < BATCH || !last) break
    after = last.id
    await yieldToEventLoop()
  }
  const { billed, clicks, ...counts } = sums
  return {
    ...counts,
    clicks: [...clicks].map(([button, count]) => ({ button, count })),
    cost: costOf(ctx, billed),
  }
}

/** The next messages of a template, in the order of ids. */
const sliceOf = (
  ctx: Ctx,
  templateId: string,
  at: { fromMs: number; toMs: number; after: string },
) =>
  ctx.db.orm
    .select({
      id: messages.id,
      status: messages.status,
      acceptedAtMs: messages.acceptedAtMs,
      createdAtMs: messages.createdAtMs,
      pricing: messages.pricing,
      country: contacts.country,
    })
    .from(messageTemplates)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageTemplates.organizationId),
        eq(messages.id, messageTemplates.messageId),
      ),
    )
    .innerJoin(
      contacts,
      and(
        eq(contacts.organizationId, messages.organizationId),
        eq(contacts.id, messages.contactId),
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
  sums: Sums,
  row: ReturnType<typeof sliceOf>[number],
  changes: readonly number[],
): void {
  if (['sent', 'delivered', 'read'].includes(row.status)) sums.sent += 1
  if (['delivered', 'read'].includes(row.status)) sums.delivered += 1
  if (row.status === 'read') sums.read += 1
  if (row.status === 'failed') sums.failed += 1
  const pricing =
    row.pricing === null
      ? null
      : (JSON.parse(row.pricing) as { category: string | null; billable: boolean | null })
  if (pricing?.billable !== true || pricing.category === null) return
  const atMs = row.acceptedAtMs ?? row.createdAtMs
  const key = `${row.country} ${pricing.category} ${changes.findLastIndex((changedMs) => changedMs <= atMs)}`
  const known = sums.billed.get(key)
  if (known) known.count += 1
  else sums.billed.set(key, { country: row.country, category: pricing.category, atMs, count: 1 })
}

/** Taps on quick replies are messages that quote the one they stand below. */
function countClicks(ctx: Ctx, sums: Sums, ids: string[]): void {
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
      sums.clicks.set(tap.button, (sums.clicks.get(tap.button) ?? 0) + tap.taps)
}

/**
 * What the billable ones cost, by the prices that held when they were sent; `null` as soon as one
 * has no price.
 */
function costOf(ctx: Ctx, billed: Sums['billed']): Cost | null {
  const currency = defaultCurrency(ctx)
  if (currency === null) return null
  let micros = 0
  for (const { country, category, atMs, count } of billed.values()) {
    const price = findPrice(ctx, { country, category, atMs, currency })
    if (price === null) return null
    micros += price.priceMicros * count
  }
  return { amount: amountOf(micros), currency }
}
