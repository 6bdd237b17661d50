import { InvalidError } from '../../../lib/errors'
import { hasDotSegment } from '../../../lib/dot-segments'
import { readOrThrow, type Report } from '../../../lib/input-problems'
import { readHeaders } from '../../../lib/outgoing-headers'
import type { Ctx } from '../../../infra/ctx'
import { requireAllowedUrl } from '../../../infra/require-allowed-url'
import { actionHeaders } from './headers'
import type { ActionConfig, CustomActionChanges } from './model'
import { ACTION_TYPES, type customActions } from './table'
import { unknownVariable, withoutVariables } from './variables'

/** A row of the custom_actions table. */
export type ActionRow = typeof customActions.$inferSelect

const AT = 'body.config'

/** Type and configuration of an action. */
type ActionColumns = Pick<ActionRow, 'actionType' | 'config' | 'headersSealed'>

/**
 * Returns the type and configuration that a request asks for; those of `before` if it names none.
 * Throws InvalidError `unsupported_action_type`, `invalid_input` and `url_refused`.
 */
export function readAction(
  ctx: Ctx,
  id: string,
  input: CustomActionChanges,
  before: ActionRow | null,
): ActionColumns {
  const actionType = typeOf(input.action_type ?? before?.actionType ?? '')
  const { config } = input
  const kept = before?.actionType === actionType ? before : null
  if (config === undefined && kept) {
    const { config: stored, headersSealed } = kept
    return { actionType, config: stored, headersSealed }
  }
  const columns = readOrThrow((report): ActionColumns => {
    if (config === undefined) {
      report(AT, 'is required')
      return { actionType, config: { url: '', openInNewTab: true }, headersSealed: null }
    }
    checkUrl(report, config.url)
    return {
      actionType,
      ...(actionType === 'url'
        ? urlColumns(report, config)
        : webhookColumns(ctx, report, { id, config, kept })),
    }
  })
  const url = withoutVariables(config?.url ?? '')
  if (actionType === 'webhook') requireAllowedUrl(ctx, `${AT}.url`, url)
  return columns
}

function typeOf(written: string): ActionRow['actionType'] {
  const known = ACTION_TYPES.find((type) => type === written)
  if (known !== undefined) return known
  const message = `must be ${ACTION_TYPES.join(' or ')}`
  throw new InvalidError(`\`action_type\` ${message}.`, {
    code: written === 'javascript' ? 'unsupported_action_type' : 'invalid_input',
    errors: [{ path: 'body.action_type', message }],
  })
}

/** Scheme and host, which variables must not change. */
const ORIGIN = /^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/i

function checkUrl(report: Report, url: string): void {
  if (!ORIGIN.test(url) || !URL.canParse(withoutVariables(url)))
    report(`${AT}.url`, 'must be an http or https URL whose host has no variables')
  if (hasDotSegment(withoutVariables(url)))
    report(`${AT}.url`, 'must not have a path segment of dots')
  checkVariables(report, `${AT}.url`, url)
}

function checkVariables(report: Report, path: string, text: string): void {
  const unknown = unknownVariable(text)
  if (unknown !== null)
    report(path, `has ${unknown}; variables begin with contact, user or organization`)
}

function urlColumns(
  report: Report,
  config: ActionConfig,
): Pick<ActionRow, 'config' | 'headersSealed'> {
  for (const field of ['method', 'headers', 'body'] as const)
    if (config[field] !== undefined) report(`${AT}.${field}`, 'is only for webhooks')
  const { url, open_in_new_tab: openInNewTab = true } = config
  return { config: { url, openInNewTab }, headersSealed: null }
}

function webhookColumns(
  ctx: Ctx,
  report: Report,
  { id, config, kept }: { id: string; config: ActionConfig; kept: ActionRow | null },
): Pick<ActionRow, 'config' | 'headersSealed'> {
  if (config.open_in_new_tab !== undefined)
    report(`${AT}.open_in_new_tab`, 'is only for the type url')
  const headers = readHeaders(report, {
    path: `${AT}.headers`,
    given: config.headers,
    url: config.url,
    held: kept && { url: kept.config.url, values: actionHeaders.open(ctx, kept) },
  })
  for (const [name, value] of Object.entries(headers))
    checkVariables(report, `${AT}.headers.${name}`, value)
  const { method = 'POST', body = null } = config
  if (body !== null) checkBody(report, body, method, contentTypeOf(headers))
  return {
    config: { url: config.url, method, headers: Object.keys(headers), body },
    headersSealed: actionHeaders.seal(ctx, id, headers),
  }
}

function checkBody(report: Report, body: string, method: string, type: string): void {
  if (method === 'GET') report(`${AT}.body`, 'is not sent with GET')
  else if (isJsonType(type) && !isJson(body))
    report(`${AT}.body`, 'must be JSON, with variables inside its texts')
  checkVariables(report, `${AT}.body`, body)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the content type of a request with these headers. JSON by default. */
export const contentTypeOf = (headers: Record<string, string>): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ??
  'application/json'

/** Whether a content type is JSON. */
export const isJsonType = (type: string): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
