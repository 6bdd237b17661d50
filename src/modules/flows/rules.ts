import type { EndpointRule } from './model'

/** What a form asks its endpoint, as far as rules look at it. */
export interface FlowRequest {
  action: string
  screen: string | null
  data: Record<string, unknown>
}

/** What placeholders stand for. */
export interface Surroundings extends FlowRequest {
  flowToken: string
  contact: Record<string, unknown>
  now: string
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value a path such as `a.b.0` leads to; `undefined` when it leads nowhere. */
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

/** A plain value as text; what is none is empty. */
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

/**
 * Numbers by size, everything else as texts: so dates as the platform writes them are in their
 * order too.
 */
function compare(a: unknown, b: unknown): number {
  const [x, y] = [Number(a), Number(b)]
  if (!isEmpty(a) && !isEmpty(b) && !Number.isNaN(x) && !Number.isNaN(y)) return x - y
  return textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0
}

const has = (value: unknown, part: unknown): boolean =>
  Array.isArray(value)
    ? value.some((item) => same(item, part))
    : textOf(value).toLowerCase().includes(textOf(part).toLowerCase())

/** What a condition may ask of a field. */
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

/**
 * The first rule that fits what is asked: its action, its screen and all of its conditions; `null`
 * when none does.
 */
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

/** The placeholders of a value, wherever they are in it, that stand for nothing. */
export function unknownPlaceholders(value: unknown): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(PLACEHOLDER)]
      .map(([, path = '']) => path)
      .filter((path) => !ROOTS.has(path.split('.')[0] ?? ''))
  if (Array.isArray(value)) return value.flatMap(unknownPlaceholders)
  return isObject(value) ? Object.values(value).flatMap(unknownPlaceholders) : []
}

/**
 * A value with its placeholders filled in. A text that is one placeholder and nothing else becomes
 * what that stands for, of its type.
 */
export function fillIn(value: unknown, around: Surroundings): unknown {
  if (typeof value === 'string') return fillText(value, around)
  if (Array.isArray(value)) return value.map((item) => fillIn(item, around))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, around)]))
    : value
}

function fillText(text: string, { flowToken, ...around }: Surroundings): unknown {
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
