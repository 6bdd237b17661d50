import { isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { validIds } from '../../../../lib/ids'
import { dateAfter, localDateOf, timeSpanOf } from '../../../../lib/local-day'
import { type Kind, refuse, type Comparison, asText, asNumber, asBoolean, listOf } from './values'
import type { Field, FilterState, FieldScope } from './fields'
import { uuidsIn } from '../../../../infra/db/compiled'
import { uuidToBytes } from '../../../../infra/db/uuid'

const MAX_DAYS = 36_500

const OPS: Record<Kind, readonly string[]> = {
  text: ['eq', 'ne', 'in', 'nin', 'contains', 'starts_with', 'exists'],
  word: ['eq', 'ne', 'in', 'nin', 'exists'],
  id: ['eq', 'ne', 'in', 'nin', 'exists'],
  number: ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists'],
  boolean: ['eq', 'ne', 'exists'],
  time: ['eq', 'gt', 'gte', 'lt', 'lte', 'exists', 'within_days', 'not_within_days'],
  date: [
    'eq',
    'ne',
    'in',
    'nin',
    'gt',
    'gte',
    'lt',
    'lte',
    'exists',
    'within_days',
    'not_within_days',
  ],
  any: ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with', 'exists'],
}

const SIGNS: Record<string, SQL> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/**
 * Returns the condition that compares a field with a value. Throws InvalidError if the operator or
 * the value does not fit the field.
 */
export function compare(
  ctx: FieldScope,
  state: FilterState,
  field: Field,
  { op, value, path }: Comparison,
): SQL {
  if (!OPS[field.kind].includes(op))
    throw refuse(`${path}.op`, `is not supported for this field; use ${OPS[field.kind].join(', ')}`)
  if (op === 'exists') return asBoolean(value, path) ? isNotNull(field.value) : isNull(field.value)
  if (op === 'within_days' || op === 'not_within_days')
    return withinDays(ctx, state, field, { op, value, path })
  if (field.kind === 'time') return compareTime(state, field, { op, value, path })
  if (field.kind === 'id') return compareId(field, { op, value, path })
  const read = READERS[field.kind]
  if (op === 'in' || op === 'nin') {
    const values = listOf(value, path, read)
    // Bind the list as one parameter: preparing a statement with thousands of parameters takes tens
    // of milliseconds.
    const condition = sql`${field.value} in (select value from json_each(${JSON.stringify(values)}))`
    return op === 'in' ? condition : sql`(${condition}) is not 1`
  }
  const one = read(value, `${path}.value`)
  if (op === 'eq') return sql`${field.value} is ${one}`
  if (op === 'ne') return sql`${field.value} is not ${one}`
  if (op === 'contains' || op === 'starts_with')
    return holdsText(field, asText(value, `${path}.value`), op)
  const condition = sql`${field.value} ${SIGNS[op]} ${one}`
  if (field.kind !== 'any') return condition
  // SQLite sorts every text above every number, so only compare values of the same type.
  return sql`(typeof(${field.value}) ${typeof one === 'number' ? sql`in ('integer', 'real')` : sql`= 'text'`} and ${condition})`
}

/**
 * Compares an ID, which is accepted in upper or lower case. A text that is no UUID is the ID of
 * nothing.
 */
function compareId(field: Field, { op, value, path }: Comparison): SQL {
  if (op === 'in' || op === 'nin') {
    const ids = validIds(listOf(value, path, asText))
    const condition = sql`${field.value} in ${uuidsIn(JSON.stringify(ids))}`
    return op === 'in' ? condition : sql`(${condition}) is not 1`
  }
  const [id] = validIds([asText(value, `${path}.value`)])
  if (op === 'eq') return id === undefined ? sql`0` : sql`${field.value} is ${uuidToBytes(id)}`
  return id === undefined ? sql`1` : sql`${field.value} is not ${uuidToBytes(id)}`
}

/**
 * Compares texts without regard to case. SQLite folds only ASCII letters, so the usual spellings of
 * other letters are tried one by one.
 */
function holdsText(field: Field, text: string, op: 'contains' | 'starts_with'): SQL {
  const small = text.toLowerCase()
  const [first = '', ...others] = small
  const spellings = new Set([
    text,
    small,
    text.toUpperCase(),
    first.toUpperCase() + others.join(''),
  ])
  const position = op === 'contains' ? sql`> 0` : sql`= 1`
  return (
    or(
      ...[...spellings].map(
        (spelling) => sql`instr(lower(${field.value}), lower(${spelling})) ${position}`,
      ),
    ) ?? sql`0`
  )
}

/** Compares a time with a point in time or with a day in the organization's time zone. */
function compareTime(state: FilterState, field: Field, { op, value, path }: Comparison): SQL {
  const span = timeSpanOf(asText(value, `${path}.value`), state.timezone)
  if (!span) throw refuse(`${path}.value`, 'must be a date (YYYY-MM-DD) or a time with offset')
  if (op === 'eq')
    return sql`(${field.value} >= ${span.fromMs} and ${field.value} < ${span.beforeMs})`
  if (op === 'gt') return sql`${field.value} >= ${span.beforeMs}`
  if (op === 'gte') return sql`${field.value} >= ${span.fromMs}`
  return op === 'lt' ? sql`${field.value} < ${span.fromMs}` : sql`${field.value} < ${span.beforeMs}`
}

/**
 * Matches times in the last `value` × 24 hours, or dates in the last `value` days of the
 * organization's calendar. Empty and future values never match.
 */
function withinDays(
  ctx: FieldScope,
  state: FilterState,
  field: Field,
  { op, value, path }: Comparison,
): SQL {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_DAYS)
    throw refuse(`${path}.value`, `must be a whole number from 1 to ${MAX_DAYS}`)
  const nowMs = ctx.clock.nowMs()
  const today = localDateOf(nowMs, state.timezone)
  const condition =
    field.kind === 'date'
      ? sql`${field.value} between ${dateAfter(today, -value)} and ${today}`
      : sql`${field.value} >= ${nowMs - value * DAY_MS}`
  return op === 'within_days' ? condition : sql`(${condition}) is not 1`
}

const READERS: Record<
  Exclude<Kind, 'time' | 'id'>,
  (value: unknown, path: string) => string | number
> = {
  text: asText,
  word: asText,
  date: (value, path) => {
    const text = asText(value, path)
    if (!timeSpanOf(text, 'UTC') || text.length !== 10)
      throw refuse(path, 'must be a date (YYYY-MM-DD)')
    return text
  },
  number: asNumber,
  boolean: (value, path) => {
    if (typeof value !== 'boolean') throw refuse(path, 'must be true or false')
    return value ? 1 : 0
  },
  any: (value, path) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    return typeof value === 'number' ? asNumber(value, path) : asText(value, path)
  },
}
