import type { FieldProblem } from '../../../../lib/errors'
import { lengthOf } from '../../../../lib/input-problems'
import { isObject, numberOf, wordOf } from '../../../../platform/lenient-json'
import type { TemplateParameter } from '../../../../platform/send/template'

/** A stored file for a header. */
export interface HeaderFile {
  mediaId: string
  filename: string | null
}

/** Values for one card of a carousel. */
export interface CardValues {
  body?: Record<string, unknown> | undefined
  header?: Record<string, unknown> | undefined
  buttons?: Record<string, unknown> | undefined
  file?: HeaderFile | null | undefined
}

/**
 * Values for a template. A variable takes a text, number or boolean; amounts and dates use the
 * objects of the platform.
 */
export interface TemplateValues extends CardValues {
  cards?: readonly CardValues[] | undefined
  /** For the Flow button: `flow_token` and `data`. */
  flow?: Record<string, unknown> | undefined
  /** Expiration time of the offer, ISO 8601. */
  offerExpiresAt?: string | undefined
}

/** Collects missing and invalid values. */
export class Findings {
  readonly missing: { label: string; path: string }[] = []
  readonly problems: FieldProblem[] = []

  /** Adds a variable without a value; `label` is its name in the request. */
  lacks(path: string, label: string): void {
    if (!this.missing.some((known) => known.path === path)) this.missing.push({ path, label })
  }

  /** Adds an invalid value. */
  refuses(path: string, message: string): void {
    if (!this.problems.some((known) => known.path === path)) this.problems.push({ path, message })
  }
}

const MAX_VALUE_LENGTH = 1_024

/** Returns the problem of a variable text that the platform rejects with 132018, or `null`. */
export function textProblem(text: string, max = MAX_VALUE_LENGTH): string | null {
  if (lengthOf(text) > max) return `must have at most ${max} characters`
  if (/[\n\r\t]/.test(text)) return 'must not contain line breaks or tabs'
  return / {5,}/.test(text) ? 'must not contain more than four spaces in a row' : null
}

/** Returns a string, number or boolean as text; `null` for other values. */
export const textOfScalar = (value: unknown): string | null =>
  typeof value === 'string'
    ? value.replaceAll('\0', '').toWellFormed()
    : ['number', 'boolean'].includes(typeof value)
      ? String(value)
      : null

/**
 * Returns a value as platform parameter and as customer text; `null` if it is missing or invalid,
 * which is reported.
 */
export function readValue(
  findings: Findings,
  at: { path: string; label: string },
  value: unknown,
): { parameter: TemplateParameter; text: string } | null {
  const { path, label } = at
  if (value === undefined || value === null) return addMissing(findings, path, label)
  if (isObject(value)) return readAmountOrDate(findings, path, value)
  const text = textOfScalar(value)
  if (text === null)
    return addProblem(
      findings,
      path,
      'must be a string, a number, or an object with `currency` or `date_time`',
    )
  if (text.trim() === '') return addMissing(findings, path, label)
  const problem = textProblem(text)
  return problem === null
    ? { parameter: { type: 'text', text }, text }
    : addProblem(findings, path, problem)
}

function addMissing(findings: Findings, path: string, label: string): null {
  findings.lacks(path, label)
  return null
}

function addProblem(findings: Findings, path: string, message: string): null {
  findings.refuses(path, message)
  return null
}

/** Reads an amount or a date, which the platform formats for the customer. */
function readAmountOrDate(
  findings: Findings,
  path: string,
  value: Record<string, unknown>,
): { parameter: TemplateParameter; text: string } | null {
  const { currency, date_time: date } = value
  const rich = isObject(currency) ? currency : isObject(date) ? date : null
  if (rich === null) return addProblem(findings, path, 'must have currency or date_time')
  const text = wordOf(rich['fallback_value'])
  if (text === null) return addProblem(findings, path, 'requires a fallback_value')
  const problem = textProblem(text)
  if (problem !== null) return addProblem(findings, path, problem)
  if (rich !== currency)
    return { parameter: { type: 'date_time', date_time: { ...rich, fallback_value: text } }, text }
  const code = wordOf(rich['code'])?.toUpperCase()
  const amount = numberOf(rich['amount_1000'])
  if (code === undefined || !/^[A-Z]{3}$/.test(code))
    return addProblem(findings, path, 'requires a code of three letters, such as USD')
  if (amount === null || !Number.isSafeInteger(amount))
    return addProblem(findings, path, 'requires an amount_1000: the amount times 1000')
  return {
    parameter: { type: 'currency', currency: { fallback_value: text, code, amount_1000: amount } },
    text,
  }
}
