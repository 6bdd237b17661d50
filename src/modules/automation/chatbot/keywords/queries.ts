import { asc, desc, eq } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import type { Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { readNumbered } from '../../../../infra/offset-pagination'
import { holdsText } from '../../../../infra/search-keys'
import type { KeywordRuleView } from './model'
import { ruleViews, type RuleRow } from './row'
import { keywordRules } from './table'

/** Filters of the list. */
export interface RulesQuery {
  page: number
  limit: number
  search?: string | undefined
  accountId?: string | undefined
  isEnabled?: boolean | undefined
  responseType?: RuleRow['responseType'] | undefined
}

/** Returns a page of keyword rules, highest priority first, then oldest first. */
export const listKeywordRules = (ctx: Ctx, query: RulesQuery): Page<KeywordRuleView> =>
  readNumbered(ctx, query, {
    table: keywordRules,
    filter: inOrganization(
      ctx,
      keywordRules,
      query.search === undefined ? undefined : holdsText(keywordRules.words, query.search),
      query.accountId === undefined ? undefined : eq(keywordRules.accountId, query.accountId),
      query.isEnabled === undefined ? undefined : eq(keywordRules.isEnabled, query.isEnabled),
      query.responseType === undefined
        ? undefined
        : eq(keywordRules.responseType, query.responseType),
    ),
    order: [desc(keywordRules.priority), asc(keywordRules.id)],
    views: (rows) => ruleViews(ctx, rows),
  })

/** Returns a keyword rule as stored. Throws NotFoundError. */
export function getRuleRow(ctx: Ctx, id: string): RuleRow {
  const row = ctx.db.orm
    .select()
    .from(keywordRules)
    .where(inOrganization(ctx, keywordRules, eq(keywordRules.id, id)))
    .get()
  if (!row) throw new NotFoundError('Keyword rule')
  return row
}
