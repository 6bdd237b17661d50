import type { Budget } from './budget'
import { endsWith, matches, spendSearch, startsWith } from './filters'
import { ReadyText, textOf } from './values'

type Compare = (left: unknown, right: unknown, budget: Budget) => boolean

const plain = (value: unknown): unknown => (value instanceof ReadyText ? value.text : value)
const isNil = (value: unknown): boolean => value === null || value === undefined
const kindOf = (value: unknown): string => {
  if (isNil(value)) return 'nil'
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'number') return 'a number'
  if (typeof value === 'boolean') return 'true or false'
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** Reports whether two values are equal: texts, numbers, truth values and nil by value. */
export const equal: Compare = (left, right, budget) => {
  const [one, other] = [plain(left), plain(right)]
  if (isNil(one) || isNil(other)) return isNil(one) && isNil(other)
  if (typeof one === 'string' && typeof other === 'string')
    budget.spend(Math.min(one.length, other.length))
  if (typeof one !== typeof other)
    budget.notes.add(`Compared ${kindOf(one)} with ${kindOf(other)}.`)
  return one === other
}

/** Compares two numbers, or two texts by their characters. Anything else is false. */
const ordered =
  (holds: (order: number) => boolean): Compare =>
  (left, right, budget) => {
    const [one, other] = [plain(left), plain(right)]
    if (typeof one === 'number' && typeof other === 'number') return holds(Math.sign(one - other))
    if (typeof one === 'string' && typeof other === 'string') {
      budget.spend(Math.min(one.length, other.length))
      if (one === other) return holds(0)
      return holds(one < other ? -1 : 1)
    }
    if (!isNil(one) && !isNil(other))
      budget.notes.add(`Compared ${kindOf(one)} with ${kindOf(other)}.`)
    return false
  }

const contains: Compare = (left, right, budget) => {
  const [whole, part] = [plain(left), plain(right)]
  if (Array.isArray(whole)) {
    budget.list(whole.length)
    return whole.some((element) => equal(element, part, budget))
  }
  if (isNil(whole) || isNil(part)) return false
  if (typeof whole !== 'string') {
    budget.notes.add(`Searched in ${kindOf(whole)}.`)
    return false
  }
  const needle = textOf(part, budget)
  spendSearch(budget, whole, needle)
  return whole.includes(needle)
}

const onTexts =
  (filter: typeof startsWith): Compare =>
  (left, right, budget) => {
    const [text, part] = [plain(left), plain(right)]
    if (isNil(text) || isNil(part)) return false
    return filter(text, [part], budget) === true
  }

/** Reports whether a value counts as true: everything but false and nil. */
export const isTrue = (value: unknown): boolean => value !== false && !isNil(value)

/** The comparisons of expressions, without `not`. */
export const COMPARISONS: Readonly<Record<string, Compare>> = {
  '==': equal,
  '!=': (left, right, budget) => !equal(left, right, budget),
  '>': ordered((order) => order > 0),
  '<': ordered((order) => order < 0),
  '>=': ordered((order) => order >= 0),
  '<=': ordered((order) => order <= 0),
  contains,
  starts_with: onTexts(startsWith),
  ends_with: onTexts(endsWith),
  matches: onTexts(matches),
  and: (left, right) => isTrue(left) && isTrue(right),
  or: (left, right) => isTrue(left) || isTrue(right),
}

/** Reports whether a value is an empty text, list or object. */
export const isEmptyValue = (value: unknown): boolean => {
  const one = plain(value)
  if (typeof one === 'string' || Array.isArray(one)) return one.length === 0
  return typeof one === 'object' && one !== null && Object.keys(one).length === 0
}

/** Reports whether a value is nil, false, empty, or a text of white space. */
export const isBlankValue = (value: unknown, budget: Budget): boolean => {
  const one = plain(value)
  if (typeof one === 'string') budget.spend(one.length)
  return (
    one === false ||
    isNil(one) ||
    isEmptyValue(one) ||
    (typeof one === 'string' && one.trim() === '')
  )
}
