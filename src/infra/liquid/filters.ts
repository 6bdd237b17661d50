import type { Budget } from './budget'
import { formatDate, localTimeOf } from './format-date'
import { jsonOf, numberOf, ReadyText, textOf } from './values'

/** Arguments of a filter: positional ones, and `[name, value]` pairs. */
type Args = readonly unknown[]
export type LiquidFilter = (value: unknown, args: Args, budget: Budget) => unknown

/** Characters of a text to search for. Longer ones make a search slow. */
const MAX_NEEDLE = 256
/** Dates are slower than texts. */
const DATE_COST = 500
const NUMBER_COST = 200

/** Counts the search for a text in another one. */
export function spendSearch(budget: Budget, text: string, needle: string): void {
  if (needle.length > MAX_NEEDLE) budget.stop(`it searches for more than ${MAX_NEEDLE} characters`)
  budget.spend(text.length + Math.ceil((text.length * needle.length) / 32))
}

const isPair = (arg: unknown): arg is [string, unknown] => Array.isArray(arg)
const argOf = (args: Args, index: number, budget: Budget): string | undefined => {
  const arg = args[index]
  return arg === undefined ? undefined : textOf(arg, budget)
}

/** A filter that maps a text to a text. */
const onText =
  (map: (text: string) => string): LiquidFilter =>
  (value, _args, budget) => {
    const text = textOf(value, budget)
    budget.text(text.length)
    return map(text)
  }

/** A filter that calculates with two numbers. Texts that are no numbers count as 0. */
const onNumbers =
  (calculate: (left: number, right: number) => number): LiquidFilter =>
  (value, [arg]) => {
    const result = calculate(numberOf(value) ?? 0, numberOf(arg) ?? 0)
    // 0.1 + 0.2 is 0.3 for people.
    return Number.isFinite(result) ? Number(result.toPrecision(15)) : null
  }

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' &&
    !(value instanceof ReadyText) &&
    Object.keys(value as object).length === 0)

function defaultFilter(value: unknown, args: Args): unknown {
  const allowsFalse = args.some((arg) => isPair(arg) && arg[0] === 'allow_false' && arg[1] === true)
  if (value === false) return allowsFalse ? false : args[0]
  return isEmpty(value) ? args[0] : value
}

function truncate(value: unknown, args: Args, budget: Budget): string {
  const text = textOf(value, budget)
  budget.text(text.length)
  const end = [...(argOf(args, 1, budget) ?? '...')]
  const longest = Math.max(0, Math.trunc(numberOf(args[0]) ?? 50))
  const characters = [...text]
  return characters.length <= longest
    ? text
    : [...characters.slice(0, Math.max(0, longest - end.length)), ...end].join('')
}

function replace(value: unknown, args: Args, budget: Budget): string {
  const text = textOf(value, budget)
  const pattern = argOf(args, 0, budget) ?? ''
  const replacement = argOf(args, 1, budget) ?? ''
  if (pattern === '') return text
  spendSearch(budget, text, pattern)
  const pieces = text.split(pattern)
  budget.text(text.length + (pieces.length - 1) * (replacement.length - pattern.length))
  return pieces.join(replacement)
}

function split(value: unknown, args: Args, budget: Budget): string[] {
  const text = textOf(value, budget)
  const separator = argOf(args, 0, budget) ?? ' '
  spendSearch(budget, text, separator)
  const pieces = separator === '' ? [...text] : text.split(separator)
  while (pieces.at(-1) === '') pieces.pop() // as Ruby does, where Liquid comes from
  budget.list(pieces.length)
  return pieces
}

function join(value: unknown, args: Args, budget: Budget): string {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const glue = argOf(args, 0, budget) ?? ' '
  budget.list(list.length)
  budget.text(list.length * glue.length)
  const text = list.map((element) => textOf(element, budget)).join(glue)
  budget.text(text.length)
  return text
}

function sizeOf(value: unknown, _args: Args, budget: Budget): number {
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object' && value !== null && !(value instanceof ReadyText))
    return Object.keys(value).length
  const text = textOf(value, budget)
  budget.text(text.length)
  return [...text].length
}

function date(value: unknown, args: Args, budget: Budget): unknown {
  budget.spend(DATE_COST)
  const at = localTimeOf(value, budget.timezone)
  const format = argOf(args, 0, budget) ?? '%F'
  const text = at && formatDate(at, format, budget.locale)
  if (text === null) budget.notes.add('`date` got no date, or a format that it does not know.')
  return text ?? value
}

/** Returns how many decimals an argument asks for, 0 to 10. */
const decimalsOf = (digits: unknown): number =>
  Math.min(10, Math.max(0, Math.trunc(numberOf(digits) ?? 0)))

/** Returns a value as a number; `null`, with a note, if it is something else. */
function checkedNumber(filter: string, value: unknown, budget: Budget): number | null {
  budget.spend(NUMBER_COST)
  const number = numberOf(value)
  if (number === null && value !== null && value !== undefined)
    budget.notes.add(`\`${filter}\` got a value that is no number.`)
  return number
}

function money(value: unknown, args: Args, budget: Budget): string | null {
  const amount = checkedNumber('money', value, budget)
  if (amount === null) return null
  const currency = argOf(args, 0, budget) ?? ''
  if (/^[A-Z]{3}$/.test(currency)) return budget.currency(currency).money(amount, currency)
  budget.notes.add('`money` got a currency that is no code of three capital letters.')
  return budget.locale.number(amount, 2)
}

function round(value: unknown, [digits]: Args): number | null {
  const number = numberOf(value)
  if (number === null) return null
  const factor = 10 ** decimalsOf(digits)
  return Math.round((number + Number.EPSILON) * factor) / factor
}

function compareTexts(compare: (text: string, part: string) => boolean): LiquidFilter {
  return (value, args, budget) => {
    const text = textOf(value, budget)
    const part = argOf(args, 0, budget) ?? ''
    budget.text(text.length)
    return compare(text, part)
  }
}

export const startsWith = compareTexts((text, part) => text.startsWith(part))
export const endsWith = compareTexts((text, part) => text.endsWith(part))

/** Characters that a filter may read for the price of one that a regular expression reads. */
const PATTERN_COST = 60
const MAX_SEARCHED = 1_024

/** Reports whether a text matches a regular expression anywhere. Its beginning is searched. */
export const matches: LiquidFilter = (value, args, budget) => {
  const text = textOf(value, budget)
  budget.spend(PATTERN_COST * Math.min(text.length, MAX_SEARCHED))
  const pattern = budget.pattern(argOf(args, 0, budget) ?? '')
  if (!pattern) budget.notes.add('`matches` got an invalid regular expression.')
  return pattern !== null && pattern.find(text) !== null
}

const upperFirst = (text: string): string => {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('').toLowerCase()
}

/** The filters that templates and expressions may use. */
export const FILTERS: Readonly<Record<string, LiquidFilter>> = {
  default: defaultFilter,
  upcase: onText((text) => text.toUpperCase()),
  downcase: onText((text) => text.toLowerCase()),
  capitalize: onText(upperFirst),
  strip: onText((text) => text.trim()),
  truncate,
  replace,
  split,
  join,
  first: (value) => (Array.isArray(value) ? (value as unknown[])[0] : null),
  last: (value) => (Array.isArray(value) ? (value as unknown[]).at(-1) : null),
  size: sizeOf,
  append: (value, args, budget) => {
    const [text, end] = [textOf(value, budget), argOf(args, 0, budget) ?? '']
    budget.text(text.length + end.length)
    return text + end
  },
  plus: onNumbers((left, right) => left + right),
  minus: onNumbers((left, right) => left - right),
  times: onNumbers((left, right) => left * right),
  divided_by: onNumbers((left, right) => left / right),
  round,
  date,
  url_encode: (value, _args, budget) => {
    const text = textOf(value, budget)
    budget.text(3 * text.length)
    return new ReadyText(encodeURIComponent(text.toWellFormed()), 'url')
  },
  json: (value, _args, budget) => new ReadyText(jsonOf(value, budget), 'json'),
  starts_with: startsWith,
  ends_with: endsWith,
  matches,
  number: (value, [decimals], budget) => {
    const number = checkedNumber('number', value, budget)
    return number === null || decimals === undefined
      ? number
      : budget.locale.number(number, decimalsOf(decimals))
  },
  money,
}
