import { and, eq, gte, isNull, ne, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { NotFoundError } from '../../lib/errors'
import type { Fillable } from './render/render'
import { templateDays, templates } from './table'
import { sentComponentsOf, sentFormatOf, type TemplateRow, type Usage } from './view'

/**
 * In which states the platform sends a template: approved ones, also while they are watched
 * (platform documentation 4.4).
 */
const SENDABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

/** Whether a template can be sent now. */
export const isSendable = (
  row: Pick<TemplateRow, 'status' | 'publishedComponents' | 'deletedAtMs'>,
): boolean =>
  SENDABLE.has(row.status) && row.publishedComponents !== null && row.deletedAtMs === null

/** The words of the states that can be sent, for lists. */
export const sendableStatuses = (): string[] => [...SENDABLE]

/**
 * Whether a template waits: it can be sent again by itself, so what is on its way with it waits
 * too.
 */
export const isPaused = (row: Pick<TemplateRow, 'status'>): boolean => row.status === 'PAUSED'

/** A language as languages are compared: `en-US` and `en_US` are the same. */
export const languageKeyOf = (language: string): string =>
  language.trim().replaceAll('-', '_').toLowerCase()

const byId = compiled((orm) =>
  orm
    .select()
    .from(templates)
    .where(inOrganization(anyScope, templates, eq(templates.id, sql.placeholder('id'))))
    .prepare(),
)

/** The template with this id, deleted or not; `null` when there is none. */
export const findTemplate = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): TemplateRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/** The template with this id. Throws NotFoundError, also for one that a person deleted. */
export function templateOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): TemplateRow {
  const row = findTemplate(ctx, id)
  if (!row || row.deletedAtMs !== null) throw new NotFoundError('Template')
  return row
}

/**
 * The templates of a name that still exist, in every language and business account; the newest
 * first.
 */
export const templatesNamed = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  name: string,
): TemplateRow[] =>
  ctx.db.orm
    .select()
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          eq(templates.name, name),
          isNull(templates.deletedAtMs),
          ne(templates.status, 'DELETED'),
        ),
      ),
    )
    .orderBy(sql`${templates.createdAtMs} desc`, templates.id)
    .limit(500)
    .all()

/** What is filled in when the template is sent. */
export const fillableOf = (row: TemplateRow): Fillable => ({
  name: row.name,
  language: row.language,
  category: row.category,
  parameterFormat: sentFormatOf(row),
  components: sentComponentsOf(row),
})

const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS)
const USAGE_DAYS = 30

const countOneMore = compiled((orm) =>
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

/** Counts that a template was taken by the platform, in the transaction that notes it. */
export function countTemplateSentIn(tx: Tx, ctx: Ctx, templateId: string): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const nowMs = ctx.clock.nowMs()
  countOneMore(ctx.db).run({
    organizationId: ctx.organizationId,
    templateId,
    day: dayOf(nowMs),
    nowMs,
  })
}

/** How often each of the templates was sent in the last thirty days, and when last. */
export function usageOf(ctx: Ctx, ids: readonly string[]): (id: string) => Usage {
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

/** The platform's clock and ours may differ by so much. */
const CLOCKS_DIFFER_MS = 120_000

/**
 * From which platform time on news count after we learned of a template by ourselves at `nowMs`.
 */
export const heardFrom = (nowMs: number): number => Math.max(0, nowMs - CLOCKS_DIFFER_MS)
