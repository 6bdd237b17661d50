import type { FieldProblem } from '../../../../lib/errors'
import { isoTime } from '../../../../lib/clock'
import { HIDDEN } from '../../../organization/audit/record'
import type { BotFlowSummary, BotFlowView } from './model'
import type { botFlows } from './table'

type BotFlowRow = typeof botFlows.$inferSelect

/** Returns a bot flow as lists show it. */
export const summaryOf = (
  row: Pick<
    BotFlowRow,
    | 'id'
    | 'name'
    | 'description'
    | 'triggerKeywords'
    | 'isEnabled'
    | 'version'
    | 'hasDraft'
    | 'accountId'
    | 'updatedAtMs'
  >,
): BotFlowSummary => ({
  id: row.id,
  name: row.name,
  description: row.description,
  trigger_keywords: row.triggerKeywords,
  enabled: row.isEnabled,
  version: row.version,
  has_draft: row.hasDraft,
  account_id: row.accountId,
  updated_at: isoTime(row.updatedAtMs),
})

/** Returns the fields of a bot flow without its graph. */
export function fieldsOf(row: BotFlowRow): Omit<BotFlowView, 'graph' | 'warnings'> {
  const { settings } = row
  const { completion } = settings
  return {
    ...summaryOf(row),
    trigger_match_type: row.triggerMatchType,
    priority: row.priority,
    initial_message: settings.initialMessage,
    completion_message: settings.completionMessage,
    on_complete_action: settings.onCompleteAction,
    completion_config: completion && {
      url: completion.url,
      method: completion.method,
      headers: Object.fromEntries(completion.headerNames.map((name) => [name, HIDDEN])),
      body: completion.body,
    },
    cancel_keywords: settings.cancelKeywords,
    cancel_message: settings.cancelMessage,
    timeout_minutes: settings.timeoutMinutes,
    timeout_message: settings.timeoutMessage,
    panel_config: settings.panel,
    created_by: row.createdBy,
    created_at: isoTime(row.createdAtMs),
  }
}

/** Returns a bot flow as the API shows it. */
export const botFlowView = (
  row: BotFlowRow,
  graph: Record<string, unknown>,
  warnings: FieldProblem[],
): BotFlowView => ({ ...fieldsOf(row), graph, warnings })
