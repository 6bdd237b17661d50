import type { FieldProblem } from '../../../lib/errors'
import { lengthOf } from '../../../lib/input-problems'
import { isObject, numberOf, wordOf } from '../../../platform/lenient-json'
import type { TemplateParameter } from '../../../platform/send/template'

/** A file of ours that goes into a header. */
export interface HeaderFile {
  mediaId: string
  filename: string | null
}

/** What a sender gives for one card of a carousel. */
export interface CardValues {
  body?: Record<string, unknown> | undefined
  header?: Record<string, unknown> | undefined
  buttons?: Record<string, unknown> | undefined
  file?: HeaderFile | null | undefined
}

/**
 * What a sender gives for a template. Values of variables are texts, numbers or yes and no; an
 * amount or a date goes as the platform's own object.
 */
export interface TemplateValues extends CardValues {
  cards?: readonly CardValues[] | undefined
  /** Of the flow button: `flow_token` and `data`. */
  flow?: Record<string, unknown> | undefined
  /** When an offer ends, ISO 8601. */
  offerExpiresAt?: string | undefined
}

/** Everything that is wrong with what a sender gave, and what is missing. */
export class Findings {
  readonly missing: { label: string; path: string }[] = []
  readonly problems: FieldProblem[] = []

  /** A variable without a value; `label` is how people name it. */
  lacks(path: string, label: string): void {
    if (!this.missing.some((known) => known.path === path)) this.missing.push({ path, label })
  }

  /** A value that cannot be sent. */
  refuses(path: string, message: string): void {
    if (!this.problems.some((known) => known.path === path)) this.problems.push({ path, message })
  }
}

const MAX_VALUE_LENGTH = 1_024

/** What is wrong with the text of a variable; the platform refuses it with 132018. */
export function textProblem(text: string, most = MAX_VALUE_LENGTH): string | null {
  if (lengthOf(text) > most) return `must have at most ${most} characters`
  if (/[\n\r\t]/.test(text)) return 'must not contain line breaks or tabs'
  return / {5,}/.test(text) ? 'must not contain more than four spaces in a row' : null
}

/** A value as text: also a number, a yes or a no; `null` for everything else. */
export const scalarOf = (value: unknown): string | null =>
  typeof value === 'string'
    ? value.replaceAll('\0', '').toWellFormed()
    : ['number', 'boolean'].includes(typeof value)
      ? String(value)
      : null

/**
 * A value in the platform's words and as the customer reads it; `null` when there is none or it is
 * wrong, which is noted.
 */
export function readValue(
  findings: Findings,
  at: { path: string; label: string },
  value: unknown,
): { parameter: TemplateParameter; text: string } | null {
  const { path, label } = at
  if (value === undefined || value === null) return lack(findings, path, label)
  if (isObject(value)) return readRich(findings, path, value)
  const text = scalarOf(value)
  if (text === null)
    return refuse(
      findings,
      path,
      'must be a string, a number, or an object with `currency` or `date_time`',
    )
  if (text.trim() === '') return lack(findings, path, label)
  const problem = textProblem(text)
  return problem === null
    ? { parameter: { type: 'text', text }, text }
    : refuse(findings, path, problem)
}

function lack(findings: Findings, path: string, label: string): null {
  findings.lacks(path, label)
  return null
}

function refuse(findings: Findings, path: string, message: string): null {
  findings.refuses(path, message)
  return null
}

/** An amount or a date, which the platform writes in the customer's way where it can. */
function readRich(
  findings: Findings,
  path: string,
  value: Record<string, unknown>,
): { parameter: TemplateParameter; text: string } | null {
  const { currency, date_time: date } = value
  const rich = isObject(currency) ? currency : isObject(date) ? date : null
  if (rich === null) return refuse(findings, path, 'must have currency or date_time')
  const text = wordOf(rich['fallback_value'])
  if (text === null) return refuse(findings, path, 'requires a fallback_value')
  const problem = textProblem(text)
  if (problem !== null) return refuse(findings, path, problem)
  if (rich !== currency)
    return { parameter: { type: 'date_time', date_time: { ...rich, fallback_value: text } }, text }
  const code = wordOf(rich['code'])?.toUpperCase()
  const amount = numberOf(rich['amount_1000'])
  if (code === undefined || !/^[A-Z]{3}$/.test(code))
    return refuse(findings, path, 'requires a code of three letters, such as USD')
  if (amount === null || !Number.isSafeInteger(amount))
    return refuse(findings, path, 'requires an amount_1000: the amount times 1000')
  return {
    parameter: { type: 'currency', currency: { fallback_value: text, code, amount_1000: amount } },
    text,
  }
}
