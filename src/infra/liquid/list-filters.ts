import type { Budget } from './budget'
import type { LiquidFilter } from './filters'
import { equal, isTrue } from './operators'
import { numberOf, textOf } from './values'

/** Characters at the beginning of texts by which they are sorted. */
const SORTED_BY = 64

/** Returns the value at a path such as `address.city` of an object; only its own properties. */
function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return null
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

/** Returns the elements of a list with their values at a path, without one the elements themselves. */
function valuesAt(
  list: unknown,
  path: unknown,
  budget: Budget,
): { element: unknown; value: unknown }[] {
  if (!Array.isArray(list)) return []
  const name = path === undefined ? null : textOf(path, budget)
  budget.spend(list.length * (1 + (name?.length ?? 0)))
  return list.map((element: unknown) => ({
    element,
    value: name === null ? element : valueAt(element, name),
  }))
}

const texts = new Intl.Collator(undefined, { sensitivity: 'accent', numeric: true })

/** Sorts numbers by their value, also those that are texts, then texts, and what is missing last. */
const sort: LiquidFilter = (list, [path], budget) => {
  const keyed = valuesAt(list, path, budget).map(({ element, value }) => {
    const number = numberOf(value)
    const text = value == null || number !== null ? '' : textOf(value, budget).slice(0, SORTED_BY)
    return { element, number, text, isMissing: value == null }
  })
  const characters = keyed.reduce((sum, { text }) => sum + 8 + text.length, 0)
  budget.spend(characters * Math.ceil(Math.log2(keyed.length + 1)))
  return keyed
    .toSorted((one, other) => {
      if (one.isMissing || other.isMissing) return Number(one.isMissing) - Number(other.isMissing)
      if (one.number !== null && other.number !== null) return one.number - other.number
      if (one.number !== null || other.number !== null) return one.number === null ? 1 : -1
      return texts.compare(one.text, other.text)
    })
    .map(({ element }) => element)
}

/** Filters of lists whose elements are objects. */
export const LIST_FILTERS: Readonly<Record<string, LiquidFilter>> = {
  sort,
  map: (list, [path], budget) => valuesAt(list, path, budget).map(({ value }) => value),
  where: (list, [path, wanted], budget) =>
    valuesAt(list, path, budget)
      .filter(({ value }) => (wanted === undefined ? isTrue(value) : equal(value, wanted, budget)))
      .map(({ element }) => element),
}
