import { and, asc, count, desc, eq, inArray, isNotNull, isNull, type SQL, ne } from 'drizzle-orm'

import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import { inOrganization, type Ctx, anyScope } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { accounts } from '../accounts/table'
import type { TemplateView } from './model'
import { sendableStatuses } from './status'
import { readUsage } from './usage'
import { templates } from './table'
import { templateView, type TemplateRow } from './view'
import { compiled, place } from '../../../infra/db/compiled'
import { NotFoundError } from '../../../lib/errors'

/** Filters and page of a template list. */
export interface TemplatesQuery {
  page: number
  limit: number
  status?: string | undefined
  category?: string | undefined
  language?: string | undefined
  accountId?: string | undefined
  quality?: string | undefined
  search?: string | undefined
  isSendable?: boolean | undefined
  /** Whether those that the platform rejected come first. */
  isRejectedFirst?: boolean | undefined
  name?: string | undefined
}

/**
 * Returns templates, newest first. An account filter matches all templates of its business account,
 * because each of its phone numbers can send them.
 */
export function listTemplates(ctx: Ctx, query: TemplatesQuery): Page<TemplateView> {
  const filter = inOrganization(
    ctx,
    templates,
    isNull(templates.deletedAtMs),
    ...conditionsOf(ctx, query),
  )
  const rows = ctx.db.orm
    .select()
    .from(templates)
    .where(filter)
    .orderBy(
      ...(query.isRejectedFirst === true ? [desc(eq(templates.status, 'REJECTED'))] : []),
      desc(templates.createdAtMs),
      desc(templates.id),
    )
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(templates).where(filter).get()?.rows ??
    0
  const shown = rows.slice(0, query.limit)
  const usage = readUsage(
    ctx,
    shown.map(({ id }) => id),
  )
  return numberedPage(
    shown.map((row) => templateView(row, usage(row.id))),
    total,
    query,
  )
}

function conditionsOf(ctx: Ctx, query: TemplatesQuery): (SQL | undefined)[] {
  const { status, category, language, quality, search, accountId } = query
  const isSendable = and(
    inArray(templates.status, sendableStatuses()),
    isNotNull(templates.publishedComponents),
  )
  return [
    status === undefined ? undefined : eq(templates.status, status.toUpperCase()),
    category === undefined ? undefined : eq(templates.category, category.toUpperCase()),
    language === undefined ? undefined : eq(templates.languageKey, languageKeyOf(language)),
    quality === undefined ? undefined : eq(templates.quality, quality.toUpperCase()),
    query.name === undefined ? undefined : eq(templates.name, query.name),
    search === undefined ? undefined : holdsText(templates.words, search),
    query.isSendable === true ? isSendable : undefined,
    accountId === undefined ? undefined : inBusinessAccountOf(ctx, accountId),
  ]
}

const inBusinessAccountOf = (ctx: Ctx, accountId: string): SQL =>
  inArray(
    templates.businessId,
    ctx.db.orm
      .select({ businessId: accounts.businessId })
      .from(accounts)
      .where(inOrganization(ctx, accounts, eq(accounts.id, accountId))),
  )

/** Returns a template. Throws NotFoundError. */
export function getTemplate(ctx: Ctx, id: string): TemplateView {
  const row = requireTemplate(ctx, id)
  return templateView(row, readUsage(ctx, [id])(id))
}

/** Returns the key for comparing languages: `en-US` and `en_US` have the same one. */
export const languageKeyOf = (language: string): string =>
  language.trim().replaceAll('-', '_').toLowerCase()

const byId = compiled((orm) =>
  orm
    .select()
    .from(templates)
    .where(inOrganization(anyScope, templates, eq(templates.id, place(templates.id, 'id'))))
    .prepare(),
)

/** Returns the template, deleted or not, or `null`. */
export const findTemplate = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  id: string,
): TemplateRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/** Returns the template. Throws NotFoundError, also for a deleted one. */
export function requireTemplate(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  id: string,
): TemplateRow {
  const row = findTemplate(ctx, id)
  if (!row || row.deletedAtMs !== null) throw new NotFoundError('Template')
  return row
}

/**
 * Returns the existing templates with this name in every language and business account, newest
 * first.
 */
export const findTemplatesByName = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  name: string,
): TemplateRow[] =>
  of(ctx, templates).list({
    where: [{ name, deletedAtMs: null }, ne(templates.status, 'DELETED')],
    order: [desc(templates.createdAtMs), asc(templates.id)],
    limit: 500,
  })
