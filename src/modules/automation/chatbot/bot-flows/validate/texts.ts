import { isObject, type JsonObject } from '../../../../../platform/lenient-json'
import type { Ctx } from '../../../../../infra/ctx'
import { asRule, isPlain } from '../../../../../infra/liquid/liquid'
import { PLAIN_FIELDS } from '../../../../inbox/contacts/plain-fields'
import type { NodeType } from '../node-config'
import type { Findings } from './findings'

type TextCtx = Pick<Ctx, 'liquid' | 'fetchGuarded'>

/** Fields of configs that are templates. Fields of every type are listed: names do not clash. */
const TEMPLATE_FIELDS = [
  ...['message', 'caption', 'body', 'header', 'footer', 'retry_message', 'validation_error'],
  ...['message_template', 'prompt_template', 'notes', 'url'],
  ...Object.keys(PLAIN_FIELDS),
  ...['params', 'set', 'attributes', 'interactive', 'buttons'],
] as const

/**
 * Reports templates, expressions and URLs of a node that cannot work, also of a node that is invalid
 * otherwise. `path` is the path of its config.
 */
export function reportTexts(
  ctx: TextCtx,
  { type, config }: { type: NodeType | null; config: JsonObject },
  path: string,
  findings: Findings,
): void {
  for (const field of TEMPLATE_FIELDS)
    for (const [at, text] of textsIn(config[field], `${path}.${field}`))
      reportTemplate(ctx, text, at, findings)
  if (type === 'condition' && typeof config.expression === 'string') {
    const problem = ctx.liquid.expressionProblem(config.expression)
    if (problem !== null) findings.add(`${path}.expression`, asRule(problem))
  }
  if (typeof config.validation_regex === 'string')
    reportPattern(ctx, config.validation_regex, `${path}.validation_regex`, findings)
  if (typeof config.url === 'string')
    reportUrl(ctx, config.url, type === 'media', { path: `${path}.url`, findings })
}

/** Returns the texts in a value with their paths. */
export function textsIn(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (Array.isArray(value))
    return value.flatMap((element, index) => textsIn(element, `${path}.${index}`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, element]) => textsIn(element, `${path}.${key}`))
}

/** Reports a template that does not compile. */
export function reportTemplate(
  ctx: Pick<TextCtx, 'liquid'>,
  text: string,
  path: string,
  findings: Findings,
): void {
  const problem = ctx.liquid.templateProblem(text)
  if (problem !== null) findings.add(path, asRule(problem))
}

/** Reports a regular expression that does not compile. */
export function reportPattern(
  ctx: Pick<TextCtx, 'liquid'>,
  pattern: string,
  path: string,
  findings: Findings,
): void {
  const problem = ctx.liquid.patternProblem(pattern)
  if (problem !== null) findings.add(path, problem)
}

/** The scheme, host and port of a URL template, up to its path. */
const ORIGIN = /^[^/\\?#]*[/\\]{2}[^/\\?#]*/

/** A scheme and a host, whether or not the rest has placeholders. */
const WHOLE_ORIGIN = /^https?:[/]{2}[^/\\?#]+(?=[/\\?#]|$)/i

/**
 * Reports a URL template with placeholders in its host, for a request with headers: their values
 * would be sent to whichever host a variable names.
 */
export function reportFixedHost(template: string, path: string, findings: Findings): void {
  if (isPlain(template) || isPlain(WHOLE_ORIGIN.exec(template)?.[0] ?? template)) return
  findings.add(path, 'must not have placeholders in its host, because the request has headers')
}

/**
 * Reports a URL that this server does not call, as far as a template shows it: its host, unless that
 * has placeholders.
 */
export function reportUrl(
  ctx: Pick<TextCtx, 'fetchGuarded'>,
  template: string,
  allowsHttp: boolean,
  { path, findings }: { path: string; findings: Findings },
): void {
  const origin = isPlain(template) ? template : (ORIGIN.exec(template)?.[0] ?? template)
  if (!isPlain(origin)) return
  const isInsecure =
    !allowsHttp && !/^https:/i.test(origin) && !ctx.fetchGuarded.allowsPlain(origin)
  const reason =
    ctx.fetchGuarded.refusalOf(origin) ?? (isInsecure ? 'does not begin with https://' : null)
  if (reason !== null) findings.add(path, `is not allowed: it ${reason}`, 'url')
}
