import { isObject } from '../lenient-json'

/** Returns what is wrong with a value, in the form "must …", or `null`. */
export type Rule = (value: unknown) => string | null

/**
 * Reports whether a text is evaluated on the phone: `${…}`, or an expression in backticks (platform
 * documentation 5.2).
 */
const isDynamic = (value: unknown): boolean =>
  typeof value === 'string' && (/^\$\{[^}]+\}$/.test(value) || /^`[^]*`$/.test(value))

const orDynamic =
  (rule: Rule): Rule =>
  (value) =>
    isDynamic(value) ? null : rule(value)

const lengthOf = (text: string): number => [...text].length

/** Displayed text: not empty, at most `most` characters. */
export const displayedText = (most: number): Rule =>
  orDynamic((value) => {
    if (typeof value !== 'string') return 'must be a string'
    if (value === '') return 'must not be empty'
    return lengthOf(value) > most ? `must have at most ${most} characters` : null
  })

/** Displayed text, or a list of lines. */
export const displayedLines = (most: number): Rule => {
  const one = displayedText(most)
  return (value) => {
    if (!Array.isArray(value)) return one(value)
    return value.map(one).find((problem) => problem !== null) ?? null
  }
}

/** Any text. */
export const text: Rule = (value) => (typeof value === 'string' ? null : 'must be a string')

/** Name of an input field in the response. */
export const fieldName: Rule = (value) =>
  typeof value === 'string' && /^[A-Za-z_][\w-]{0,255}$/.test(value)
    ? null
    : 'must be a name of letters, digits, _ and -'

/** Yes or no. */
export const flag: Rule = orDynamic((value) =>
  typeof value === 'boolean' ? null : 'must be true or false',
)

/** Any number. */
export const number: Rule = orDynamic((value) =>
  typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number',
)

/** An integer in a range. Older versions write some integers as text. */
export const integer = (least = 0, most = Number.MAX_SAFE_INTEGER): Rule =>
  orDynamic((value) => {
    const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    return Number.isInteger(read) && (read as number) >= least && (read as number) <= most
      ? null
      : `must be a whole number from ${least} to ${most === Number.MAX_SAFE_INTEGER ? 'there on' : most}`
  })

/** One of several fixed values. */
export const oneOf = (...known: string[]): Rule =>
  orDynamic((value) =>
    typeof value === 'string' && known.includes(value)
      ? null
      : `must be one of ${known.join(', ')}`,
  )

/** A list with a rule for each element. */
export const listOf = (rule: Rule, least = 0, most = 1_000): Rule =>
  orDynamic((value) => {
    if (!Array.isArray(value)) return 'must be a list'
    if (value.length < least || value.length > most) return `must have ${least} to ${most} items`
    return value.map(rule).find((problem) => problem !== null) ?? null
  })

/** An object with arbitrary properties. */
export const object: Rule = orDynamic((value) => (isObject(value) ? null : 'must be an object'))

/** Accepts a value that satisfies any of the rules. The message is that of the first rule. */
export const either =
  (first: Rule, ...others: Rule[]): Rule =>
  (value) =>
    others.some((rule) => rule(value) === null) ? null : first(value)

/** The two ends of a date range. */
export const dateRange =
  (rule: Rule): Rule =>
  (value) => {
    if (!isObject(value)) return 'must be an object with start-date and end-date'
    const unknownName = Object.keys(value).find(
      (name) => name !== 'start-date' && name !== 'end-date',
    )
    if (unknownName !== undefined)
      return `has ${unknownName}, which is neither start-date nor end-date`
    return (
      Object.values(value)
        .map(rule)
        .find((problem) => problem !== null) ?? null
    )
  }

const OPTION_PROPERTIES = new Set([
  'id',
  'title',
  'description',
  'metadata',
  'enabled',
  'image',
  'alt-text',
  'color',
  'on-select-action',
  'on-unselect-action',
])

const option: Rule = (value) => {
  if (!isObject(value)) return 'must be a list of objects with `id` and `title`'
  if (typeof value.id !== 'string' || value.id === '') return 'must have an id in each item'
  if (typeof value.title !== 'string' || value.title === '') return 'must have a title in each item'
  const unknownName = Object.keys(value).find((name) => !OPTION_PROPERTIES.has(name))
  return unknownName === undefined
    ? null
    : `has items with ${unknownName}, which is not an allowed property`
}

/** The choices of an input: a list of options with unique IDs. */
export const options: Rule = orDynamic((value) => {
  const problem = listOf(option, 1, 200)(value)
  if (problem !== null || !Array.isArray(value)) return problem
  const ids = value.map((each: unknown) => (isObject(each) ? each.id : null))
  return new Set(ids).size === ids.length ? null : 'must have different ids in its items'
})

/** A date: `YYYY-MM-DD`, or milliseconds in versions before 5.0. */
export const date: Rule = orDynamic((value) =>
  typeof value === 'string' && (/^\d{4}-\d{2}-\d{2}$/.test(value) || /^\d{10,14}$/.test(value))
    ? null
    : 'must be a date as YYYY-MM-DD',
)
