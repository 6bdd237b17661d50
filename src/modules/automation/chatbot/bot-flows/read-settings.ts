import { fieldSentence, InvalidError } from '../../../../lib/errors'
import type { HeldHeaders } from '../../../../lib/outgoing-headers'
import type { Ctx } from '../../../../infra/ctx'
import { findAccount } from '../../../channel/accounts/queries'
import { requireRegexSpace } from '../keywords/keywords'
import { HEADER_NAME } from './node-config'
import type { BotFlowChanges, CompletionConfig, NewPanelConfig } from './model'
import type { StoredSettings } from './table'
import { Findings, shown } from './validate/findings'
import { storedFor, takeValues, type StoredHeaderValue } from './validate/headers'
import { reportFixedHost, reportPattern, reportTemplate, reportUrl } from './validate/texts'

const MAX_KEYWORD = 255
const MAX_HEADERS = 20

/** The settings of a bot flow before a change. */
export interface SettingsBefore {
  flowId: string
  settings: StoredSettings
  completionHeaders: Record<string, string>
  triggerKeywords: string[]
  triggerMatchType: string
}

/** The settings of a bot flow after a change. */
export interface SettingsAfter {
  settings: StoredSettings
  completionHeaders: Record<string, string>
}

/**
 * Returns the settings after a change. Throws InvalidError with every invalid field: `url_refused` if
 * all of them are URLs that this server does not call, otherwise `invalid_input`. Throws
 * ConflictError `limit_reached` for too many regular expressions.
 */
export function readSettings(
  ctx: Ctx,
  before: SettingsBefore,
  changes: BotFlowChanges,
): SettingsAfter {
  const findings = new Findings()
  if (typeof changes.account_id === 'string') reportAccount(ctx, changes.account_id, findings)
  reportTriggers(ctx, before, changes, findings)
  for (const field of MESSAGES) {
    const text = changes[field]
    if (typeof text === 'string') reportTemplate(ctx, text, `body.${field}`, findings)
  }
  const settings = changed(before.settings, changes)
  let { completionHeaders } = before
  if (changes.completion_config !== undefined) {
    const held = { url: before.settings.completion?.url ?? '', values: completionHeaders }
    const read = readCompletion(ctx, changes.completion_config, held, findings)
    settings.completion = read?.request ?? null
    completionHeaders = read?.headers ?? {}
  }
  if (settings.onCompleteAction === 'webhook' && settings.completion === null)
    findings.add('body.completion_config', 'is required for `on_complete_action: webhook`')
  throwAll(findings)
  requireSpace(ctx, before, changes)
  return { settings, completionHeaders }
}

const MESSAGES = [
  'initial_message',
  'completion_message',
  'cancel_message',
  'timeout_message',
] as const

const orBefore = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)

const changed = (before: StoredSettings, changes: BotFlowChanges): StoredSettings => ({
  initialMessage: orBefore(changes.initial_message, before.initialMessage),
  completionMessage: orBefore(changes.completion_message, before.completionMessage),
  onCompleteAction: orBefore(changes.on_complete_action, before.onCompleteAction),
  completion: before.completion,
  cancelKeywords: orBefore(changes.cancel_keywords, before.cancelKeywords),
  cancelMessage: orBefore(changes.cancel_message, before.cancelMessage),
  timeoutMinutes: orBefore(changes.timeout_minutes, before.timeoutMinutes),
  timeoutMessage: orBefore(changes.timeout_message, before.timeoutMessage),
  panel: orBefore(changes.panel_config && panelOf(changes.panel_config), before.panel),
})

/** Returns a panel with its defaults. */
const panelOf = ({ sections }: NewPanelConfig): StoredSettings['panel'] => ({
  sections: sections.map((section, order) => ({
    columns: 1,
    collapsible: false,
    default_collapsed: false,
    order,
    ...section,
    fields: section.fields.map((field, at) => ({
      order: at,
      display_type: 'text' as const,
      ...field,
    })),
  })),
})

function reportAccount(ctx: Ctx, id: string, findings: Findings): void {
  const account = findAccount(ctx, id)
  if (!account || account.deletedAtMs !== null)
    findings.add('body.account_id', 'is not an account of this organization')
}

/** Throws ConflictError `limit_reached` where the flow has too many regular expressions. */
function requireSpace(ctx: Ctx, before: SettingsBefore, changes: BotFlowChanges): void {
  const keywords = changes.trigger_keywords ?? before.triggerKeywords
  if ((changes.trigger_match_type ?? before.triggerMatchType) === 'regex')
    requireRegexSpace(ctx, before.flowId, keywords.length)
}

function reportTriggers(
  ctx: Ctx,
  before: SettingsBefore,
  changes: BotFlowChanges,
  findings: Findings,
): void {
  const keywords = changes.trigger_keywords ?? before.triggerKeywords
  const isRegex = (changes.trigger_match_type ?? before.triggerMatchType) === 'regex'
  for (const [index, keyword] of keywords.entries()) {
    const path = `body.trigger_keywords.${index}`
    if (isRegex) {
      reportPattern(ctx, keyword, path, findings)
      continue
    }
    if (keyword.length > MAX_KEYWORD)
      findings.add(path, `must have at most ${MAX_KEYWORD} characters`)
    if (keyword.trim() === '') findings.add(path, 'must not be blank')
  }
}

/** Reports the address of a completion request that cannot work or that this server does not call. */
export function reportCompletionUrl(ctx: Ctx, url: string, path: string, findings: Findings): void {
  reportTemplate(ctx, url, path, findings)
  reportUrl(ctx, url, false, { path, findings })
}

function readCompletion(
  ctx: Ctx,
  config: CompletionConfig | null,
  held: HeldHeaders,
  findings: Findings,
): { request: StoredSettings['completion']; headers: Record<string, string> } | null {
  if (config === null) return null
  const at = 'body.completion_config'
  reportCompletionUrl(ctx, config.url, `${at}.url`, findings)
  if (typeof config.body === 'string') reportTemplate(ctx, config.body, `${at}.body`, findings)
  const stored = (name: string): StoredHeaderValue =>
    storedFor(config.url, [{ url: held.url, value: held.values[name] }])
  const headers = takeValues(ctx, config.headers ?? {}, stored, {
    path: `${at}.headers`,
    findings,
  })
  const names = Object.keys(headers)
  if (names.length > 0) reportFixedHost(config.url, `${at}.url`, findings)
  if (names.length > MAX_HEADERS)
    findings.add(`${at}.headers`, `must have at most ${MAX_HEADERS} fields`)
  for (const name of names)
    if (!new RegExp(HEADER_NAME).test(name))
      findings.add(`${at}.headers.${name}`, 'must be the name of a header')
  const { url, method = 'POST', body = null } = config
  return { request: { url, method, headerNames: names, body }, headers }
}

function throwAll({ all }: Findings): void {
  const [first] = all
  if (!first) return
  throw new InvalidError(fieldSentence(first.path, first.message), {
    code: all.every(({ severity }) => severity === 'url') ? 'url_refused' : 'invalid_input',
    errors: shown(all),
  })
}
