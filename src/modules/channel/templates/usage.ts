import { and, eq, gte, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { templateDays } from './table'
import type { Usage } from './view'

const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS)

const USAGE_DAYS = 30

const incrementSent = compiled((orm) =>
  orm
    .insert(templateDays)
    .values({
      organizationId: sql.placeholder('organizationId'),
      templateId: sql.placeholder('templateId'),
      day: sql.placeholder('day'),
      sent: 1,
      lastSentAtMs: sql.placeholder('nowMs'),
    })
    .onConflictDoUpdate({
      target: [templateDays.organizationId, templateDays.templateId, templateDays.day],
      set: { sent: sql`${templateDays.sent} + 1`, lastSentAtMs: sql`excluded.last_sent_at_ms` },
    })
    .prepare(),
)

/**
 * Adds a sent message to the usage of a template. Runs in the transaction that records the
 * acceptance.
 */
export function countTemplateSentIn(tx: Tx, ctx: Ctx, templateId: string): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const nowMs = ctx.clock.nowMs()
  incrementSent(ctx.db).run({
    organizationId: ctx.organizationId,
    templateId,
    day: dayOf(nowMs),
    nowMs,
  })
}

/**
 * Returns a lookup of the usage of each template: messages sent in the last 30 days and the last
 * time.
 */
export function readUsage(ctx: Ctx, ids: readonly string[]): (id: string) => Usage {
  const counted = new Map<string, Usage>()
  for (const id of ids) {
    const of = inOrganization(ctx, templateDays, eq(templateDays.templateId, id))
    const recent = ctx.db.orm
      .select({ sent: sql<number>`coalesce(sum(${templateDays.sent}), 0)` })
      .from(templateDays)
      .where(and(of, gte(templateDays.day, dayOf(ctx.clock.nowMs()) - USAGE_DAYS + 1)))
      .get()
    const last = ctx.db.orm
      .select({ atMs: templateDays.lastSentAtMs })
      .from(templateDays)
      .where(of)
      .orderBy(sql`${templateDays.day} desc`)
      .limit(1)
      .get()
    counted.set(id, { sent: recent?.sent ?? 0, lastSentAtMs: last?.atMs ?? null })
  }
  return (id) => counted.get(id) ?? { sent: 0, lastSentAtMs: null }
}
