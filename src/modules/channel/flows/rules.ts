import type { EndpointRule } from './model'

/** The part of a data exchange request that rules use. */
export interface FlowRequest {
  action: string
  screen: string | null
  data: Record<string, unknown>
}

/** Values for placeholders. */
export interface PlaceholderScope extends FlowRequest {
  flowToken: string
  contact: Record<string, unknown>
  now: string
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value at a path such as `a.b.0`, or `undefined`. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  let here = root
  for (const step of path) {
    if (Array.isArray(here)) here = (here as unknown[])[Number(step)]
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

const pathOf = (field: string): string[] =>
  (field.startsWith('data.') ? field.slice('data.'.length) : field).split('.')

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Returns a string, number or boolean as text; otherwise an empty text. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''

const same = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a !== typeof b &&
    !isObject(a) &&
    !isObject(b) &&
    !Array.isArray(a) &&
    !Array.isArray(b) &&
    String(a) === String(b))

/** Compares numbers by value and other values as text, which also orders dates of the platform. */
function compare(a: unknown, b: unknown): number {
  const [x, y] = [Number(a), Number(b)]
  if (!isEmpty(a) && !isEmpty(b) && !Number.isNaN(x) && !Number.isNaN(y)) return x - y
  return textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0
}

const has = (value: unknown, part: unknown): boolean =>
  Array.isArray(value)
    ? value.some((item) => same(item, part))
    : textOf(value).toLowerCase().includes(textOf(part).toLowerCase())

/** Operators of conditions. */
export const OPERATORS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  eq: same,
  ne: (value, wanted) => !same(value, wanted),
  in: (value, wanted) => Array.isArray(wanted) && wanted.some((each) => same(value, each)),
  gt: (value, wanted) => !isEmpty(value) && compare(value, wanted) > 0,
  gte: (value, wanted) => !isEmpty(value) && compare(value, wanted) >= 0,
  lt: (value, wanted) => !isEmpty(value) && compare(value, wanted) < 0,
  lte: (value, wanted) => !isEmpty(value) && compare(value, wanted) <= 0,
  contains: has,
  exists: (value, wanted) => isEmpty(value) === (wanted === false),
}

/** Returns the first rule whose action, screen and conditions match, or `null`. */
export const chooseRule = (
  rules: readonly EndpointRule[],
  { action, screen, data }: FlowRequest,
): EndpointRule | null =>
  rules.find(
    (rule) =>
      (rule.action === null || rule.action === action) &&
      (rule.screen === null || rule.screen === screen) &&
      rule.when.every(
        ({ field, op, value }) => OPERATORS[op]?.(valueAt(data, pathOf(field)), value) ?? false,
      ),
  ) ?? null

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g
const ROOTS = new Set(['data', 'contact', 'flow_token', 'screen', 'action', 'now'])

/** Returns the unknown placeholders in a value, at any depth. */
export function unknownPlaceholders(value: unknown): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(PLACEHOLDER)]
      .map(([, path = '']) => path)
      .filter((path) => !ROOTS.has(path.split('.')[0] ?? ''))
  if (Array.isArray(value)) return value.flatMap(unknownPlaceholders)
  return isObject(value) ? Object.values(value).flatMap(unknownPlaceholders) : []
}

/**
 * Replaces placeholders in a value. A text that consists of one placeholder becomes its value with
 * its type.
 */
export function fillPlaceholders(value: unknown, around: PlaceholderScope): unknown {
  if (typeof value === 'string') return fillText(value, around)
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, around))
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, fillPlaceholders(item, around)]),
      )
    : value
}

function fillText(text: string, { flowToken, ...around }: PlaceholderScope): unknown {
  const scope = { ...around, flow_token: flowToken }
  const whole = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(text)
  if (whole) return valueAt(scope, (whole[1] ?? '').split('.')) ?? null
  return text.replace(PLACEHOLDER, (_all, path: string) => {
    const value = valueAt(scope, path.split('.'))
    if (value === undefined || value === null) return ''
    return typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)
  })
}
