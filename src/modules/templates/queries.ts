import { and, count, desc, eq, inArray, isNotNull, isNull, type SQL } from 'drizzle-orm'

import { numberedPage, totalAtEnd, type Page } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { holdsText } from '../../infra/search-keys'
import { accounts } from '../accounts/table'
import type { TemplateView } from './model'
import { languageKeyOf, sendableStatuses, templateOf, usageOf } from './state'
import { templates } from './table'
import { templateView } from './view'

/** Which templates are shown. */
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
}

/**
 * The organization's templates, the newest first. Those of an account are those of its business
 * account: each of its numbers sends them.
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
    .orderBy(desc(templates.createdAtMs), desc(templates.id))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(templates).where(filter).get()?.rows ??
    0
  const shown = rows.slice(0, query.limit)
  const usage = usageOf(
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
    search === undefined ? undefined : holdsText(templates.words, search),
    query.isSendable === true ? isSendable : undefined,
    accountId === undefined ? undefined : ofBusinessOf(ctx, accountId),
  ]
}

const ofBusinessOf = (ctx: Ctx, accountId: string): SQL =>
  inArray(
    templates.businessId,
    ctx.db.orm
      .select({ businessId: accounts.businessId })
      .from(accounts)
      .where(inOrganization(ctx, accounts, eq(accounts.id, accountId))),
  )

/** One template. Throws NotFoundError. */
export function getTemplate(ctx: Ctx, id: string): TemplateView {
  const row = templateOf(ctx, id)
  return templateView(row, usageOf(ctx, [id])(id))
}
