import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import type { FieldProblem } from '../../../../lib/errors'
import { isNeverOpen } from '../../../../lib/business-hours'
import type { Ctx } from '../../../../infra/ctx'
import { findTemplate } from '../../../channel/templates/queries'
import { missingParams } from '../missing-params'
import { hiddenWords } from './hidden-words'
import type { KeywordRuleView } from './model'
import type { keywordRules } from './table'

/** A keyword rule as stored. */
export type RuleRow = typeof keywordRules.$inferSelect

/** Returns keyword rules as the API shows them, with what they will not do. */
export function ruleViews(ctx: Ctx, rows: readonly RuleRow[]): KeywordRuleView[] {
  const hidden = hiddenWords(ctx, { field: 'keywords', effect: 'gets no answer' })
  return rows.map((row) => ({
    ...ruleFields(row),
    warnings: [
      ...(row.matchType === 'regex' ? [] : hidden(row.keywords)),
      ...doubtsAboutParams(ctx, row),
      ...(isNeverOpen(row.activeHours) ? [NEVER_ACTIVE] : []),
    ],
  }))
}

const NEVER_ACTIVE: FieldProblem = {
  path: 'active_hours',
  message: 'has no minute, so the rule never answers',
}

/** Returns what the template of a rule needs and does not get; nothing of one that has been deleted. */
function doubtsAboutParams(ctx: Ctx, row: RuleRow): FieldProblem[] {
  const { template_id: id, params } = row.responseContent
  if (row.responseType !== 'template' || id === undefined) return []
  if (findTemplate(ctx, id)?.deletedAtMs !== null) return []
  const message = missingParams(ctx, id, params)
  return message === null ? [] : [{ path: 'response_content.params', message }]
}

/** Returns a keyword rule as the API shows it. */
export const ruleView = (ctx: Ctx, row: RuleRow): KeywordRuleView =>
  ruleViews(ctx, [row])[0] as KeywordRuleView

/** Returns the fields of a keyword rule as the API shows them. */
export const ruleFields = (row: RuleRow): Omit<KeywordRuleView, 'warnings'> => ({
  id: row.id,
  name: row.name,
  keywords: row.keywords,
  match_type: row.matchType,
  case_sensitive: row.isCaseSensitive,
  whole_word: row.isWholeWord,
  response_type: row.responseType,
  response: row.response,
  response_content: row.responseContent,
  priority: row.priority,
  enabled: row.isEnabled,
  account_id: row.accountId,
  active_from: isoTimeOrNull(row.activeFromMs),
  active_until: isoTimeOrNull(row.activeUntilMs),
  active_hours: row.activeHours,
  interrupts_flow: row.interruptsFlow,
  hit_count: row.hitCount,
  last_hit_at: isoTimeOrNull(row.lastHitAtMs),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
