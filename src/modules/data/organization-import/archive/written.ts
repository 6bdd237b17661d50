import { InvalidError } from '../../../../lib/errors'
import type { Report } from '../../../../lib/input-problems'
import type { Ctx } from '../../../../infra/ctx'
import { yieldEvery } from '../../../../infra/event-loop'
import { asRule } from '../../../../infra/liquid/liquid'
import { reportTemplates } from '../../../automation/chatbot-settings/read-changes'
import { REPLIES } from '../../../inbox/contacts/consent/settings'
import type { StoredSettings } from '../../../automation/chatbot/bot-flows/table'
import { Findings } from '../../../automation/chatbot/bot-flows/validate/findings'
import { reportTemplate } from '../../../automation/chatbot/bot-flows/validate/texts'
import { readContent } from '../../../automation/chatbot/keywords/content'
import { readKeywords, type ComparedKeywords } from '../../../automation/chatbot/keywords/keywords'
import type { RuleRow } from '../../../automation/chatbot/keywords/row'
import type { RuleContent } from '../../../automation/chatbot/keywords/table'
import { parseMessage, type MessageInput } from '../../../inbox/messages/compose/input'
import { namesTemplate, ONE_NAME } from '../../../inbox/messages/compose/template/read'
import type { ApiConfig } from '../../../automation/ai/contexts/view'
import { isEventPattern } from '../../../delivery/realtime/webhook-events'
import { problemOfForeignFilter } from '../../../inbox/contacts/segment-filter/condition'
import { isFilterOf } from '../../../inbox/views/filter'
import type { StoredFilter, ViewRow } from '../../../inbox/views/table'
import { wrongValue, type ArchivePlace } from './fault'
import type { RowToStore } from './row-reader'

/** A column, and what its value must be. */
type Problem = [column: string, problem: string]

/** Returns the first problem of a row, whose columns are of the form of their rules. */
type Check = (ctx: Ctx, row: RowToStore) => Problem | null | Promise<Problem | null>

const json = <T>(row: RowToStore, column: string): T => JSON.parse(String(row[column])) as T // by its rule

/** Returns what a check of the API throws about its input; `null` if it throws nothing. */
function refusalOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof InvalidError) return error.message
    throw error
  }
}

/** Templates that have gone since are not missed: the message says so when it is due. */
const problemOfTemplate = (input: Parameters<typeof namesTemplate>[0]): string | null =>
  namesTemplate(input) ? null : `template_id ${ONE_NAME}`

const HOLD_MS = 4

/** Reads one keyword after the other and lets requests run in between: patterns are compiled. */
async function keywordsProblem(
  row: RowToStore,
  column: string,
  compared: Omit<ComparedKeywords, 'keywords'>,
): Promise<Problem | null> {
  const yieldIfDue = yieldEvery(HOLD_MS)
  for (const keyword of json<string[]>(row, column)) {
    const refusal = refusalOf(() => readKeywords({ keywords: [keyword], ...compared }))
    if (refusal !== null) return [column, `has a keyword that is refused: ${refusal}`]
    await yieldIfDue()
  }
  return null
}

const matchTypeOf = (value: unknown): RuleRow['matchType'] => value as RuleRow['matchType'] // by its rule

/** The checks of tables whose values mean something together, as when they are saved by the API. */
const CHECKS: Record<string, Check> = {
  ai_contexts(_ctx, row) {
    const config = json<ApiConfig | null>(row, 'api_config')
    if ((row['type'] === 'api') !== (config !== null))
      return ['api_config', 'belongs to contexts of the type api']
    return config?.method === 'GET' && config.body !== null
      ? ['api_config', 'has a body, which is only for the method POST']
      : null
  },
  async bot_flows(ctx, row) {
    const matchType = matchTypeOf(row['trigger_match_type'])
    const wrong = await keywordsProblem(row, 'trigger_keywords', {
      matchType,
      isCaseSensitive: false,
    })
    if (wrong) return wrong
    const settings = json<StoredSettings>(row, 'settings')
    const findings = new Findings()
    const { initialMessage, completionMessage, cancelMessage, timeoutMessage, completion } =
      settings
    for (const text of [
      ...[initialMessage, completionMessage, cancelMessage, timeoutMessage],
      completion?.body ?? null,
    ])
      if (text !== null) reportTemplate(ctx, text, 'text', findings)
    const [first] = findings.all
    return first ? ['settings', `has a text that ${first.message}`] : null
  },
  chatbot_settings(ctx, row) {
    const problems: Problem[] = []
    const report: Report = (path, message) =>
      problems.push(['fields', `is wrong: ${path.slice('body.'.length)} ${message}`])
    reportTemplates(ctx, report, json(row, 'fields'))
    return problems[0] ?? null
  },
  consent_settings(ctx, row) {
    for (const column of REPLIES) {
      const problem = ctx.liquid.templateProblem(String(row[column] ?? ''))
      if (problem !== null) return [column, asRule(problem)]
    }
    return null
  },
  async keyword_rules(ctx, row) {
    const compared = {
      matchType: matchTypeOf(row['match_type']),
      isCaseSensitive: row['is_case_sensitive'] === 1,
    }
    const wrong = await keywordsProblem(row, 'keywords', compared)
    if (wrong) return wrong
    const problems: Problem[] = []
    const report: Report = (path, message) =>
      problems.push([
        path === 'body.response' ? 'response' : 'response_content',
        `is wrong: ${path.slice('body.'.length)} ${message}`,
      ])
    const content = json<RuleContent>(row, 'response_content')
    const response = row['response'] === null ? null : String(row['response'])
    readContent(
      ctx,
      report,
      { type: row['response_type'] as RuleRow['responseType'], response, content },
      content,
    )
    return problems[0] ?? null
  },
  scheduled_messages(ctx, row) {
    const message = json<MessageInput>(row, 'message')
    const fallback = json<Pick<MessageInput, 'template_id' | 'template_name'> | null>(
      row,
      'fallback_template',
    )
    const refusal =
      message.type === 'template'
        ? problemOfTemplate(message)
        : refusalOf(() => parseMessage(ctx, message))
    if (refusal !== null) return ['message', `is refused: ${refusal}`]
    if (fallback === null) return null
    if (message.type === 'template') return ['fallback_template', 'is only for other messages']
    const problem = problemOfTemplate(fallback)
    return problem === null ? null : ['fallback_template', `is refused: ${problem}`]
  },
  segments(ctx, row) {
    const problem = problemOfForeignFilter(ctx, json(row, 'filter'))
    return problem === null ? null : ['filter', `is wrong: ${problem}`]
  },
  webhook_endpoints(_ctx, row) {
    const unknown = json<string[]>(row, 'events').find((event) => !isEventPattern(event))
    return unknown === undefined ? null : ['events', 'has an unknown type of event']
  },
  views: (_ctx, row) =>
    isFilterOf(row['resource'] as ViewRow['resource'], json<StoredFilter>(row, 'filter'))
      ? null
      : ['filter', 'must be one that its list takes'],
}

/** Requires of the values of a row what the API requires when they are saved. Throws ArchiveFault. */
export async function requireWritten(
  ctx: Ctx,
  table: string,
  { row, place }: { row: RowToStore; place: ArchivePlace },
): Promise<void> {
  const problem = (await CHECKS[table]?.(ctx, row)) ?? null
  if (problem !== null) throw wrongValue(...problem, place)
}
