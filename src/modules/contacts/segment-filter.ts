import { and, eq, exists, inArray, isNotNull, isNull, not, or, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { fieldSentence, InvalidError } from '../../lib/errors'
import { validIds, normalizeId } from '../../lib/ids'
import { dateAfter, localDateOf, timeSpanOf } from '../../lib/local-day'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { campaignRecipients } from '../campaigns/table'
import { getOrganization } from '../organizations/service'
import { segments } from '../segments/table'
import { tagKey } from '../tags/service'
import { tags } from '../tags/table'
import { definitionsOf } from './attributes/service'
import { contactCounts, contacts, contactTags } from './table'

/** Limits on the nesting and size of a filter (messages contract 3, rule 11). */
const DEEPEST = 5
const MAX_CONDITIONS = 50
const MAX_VALUES = 200
const MAX_VALUE_LENGTH = 255
const MAX_DAYS = 36_500

/**
 * Maximum cost of a filter: the cost of its conditions times the organization's contacts. One unit
 * is one column comparison, a fraction of a microsecond.
 */
const BUDGET = 20_000_000
/**
 * Cost of a condition on a column, on a value inside a JSON object, on a text search, and on rows
 * of another table.
 */
const COSTS = { column: 1, json: 2, text: 3, rows: 5 }

/** Determines which operators a field accepts. */
type Kind = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'word' | 'any'

interface Field {
  kind: Kind
  /** SQL expression of the field's value in the contact's row. */
  value: SQL
}

const OPS: Record<Kind, readonly string[]> = {
  text: ['eq', 'ne', 'in', 'nin', 'contains', 'starts_with', 'exists'],
  word: ['eq', 'ne', 'in', 'nin', 'exists'],
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

const COLUMNS: Record<string, Field> = {
  consent: { kind: 'word', value: sql`${contacts.marketingConsent}` },
  country: { kind: 'text', value: sql`${contacts.country}` },
  language: { kind: 'text', value: sql`${contacts.language}` },
  account_id: { kind: 'word', value: sql`${contacts.accountId}` },
  assigned_to: { kind: 'word', value: sql`${contacts.assignedTo}` },
  created_at: { kind: 'time', value: sql`${contacts.createdAtMs}` },
  last_inbound_at: { kind: 'time', value: sql`${contacts.lastInboundAtMs}` },
  last_message_at: { kind: 'time', value: sql`${contacts.lastMessageAtMs}` },
}

/** Fields that hold IDs, which are accepted in upper or lower case. */
const IDS = new Set(['account_id', 'assigned_to'])

const normalizedIds = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(normalizedIds)
    : typeof value === 'string'
      ? normalizeId(value)
      : value

const ATTRIBUTE_KINDS = {
  text: 'text',
  url: 'text',
  email: 'text',
  select: 'word',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
} as const

const refuse = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/**
 * Returns the SQL condition for a segment filter: `{all: […]}`, `{any: […]}`, `{not: …}` or
 * `{field, op, value}`. Values are always bound as parameters. Has no cost limit, because jobs read
 * contacts in small batches. Throws InvalidError with the path of an unknown field or invalid
 * value.
 */
const segmentCondition = (ctx: Scope, filter: unknown): SQL => readFilter(ctx, filter, Infinity)

/**
 * Returns the SQL condition for a filter that a request evaluates over all contacts. Also throws
 * InvalidError `segment_too_expensive`, with the path of the condition that exceeds the budget.
 */
export const boundedSegmentCondition = (ctx: Scope, filter: unknown): SQL =>
  readFilter(ctx, filter, BUDGET / Math.max(1, countContacts(ctx)))

function readFilter(ctx: Scope, filter: unknown, budget: number): SQL {
  const state: FilterState = {
    timezone: getOrganization(ctx).timezone,
    attributes: null,
    conditions: 0,
    cost: 0,
    budget,
  }
  return conditionOf(ctx, state, filter, { path: 'body.filter', depth: 1 })
}

/** Returns the organization's number of contacts, deleted ones excluded. */
export const countContacts = (ctx: Pick<Ctx, 'db' | 'organizationId'>): number =>
  ctx.db.orm
    .select({ rows: contactCounts.contacts })
    .from(contactCounts)
    .where(inOrganization(ctx, contactCounts))
    .get()?.rows ?? 0

/** Returns the condition for segments the actor may use: shared ones and its own. */
export const usableSegments = (ctx: Pick<Ctx, 'actor'>): SQL | undefined =>
  or(eq(segments.isShared, true), eq(segments.createdBy, ctx.actor.userId ?? ''))

/**
 * Returns the SQL condition of a saved segment, or `null` if the caller may not use a segment with
 * this ID.
 */
export function conditionOfSegment(
  ctx: Scope & Pick<Ctx, 'actor'>,
  id: string,
  read = segmentCondition,
): SQL | null {
  const row = ctx.db.orm
    .select({ filter: segments.filter })
    .from(segments)
    .where(inOrganization(ctx, segments, usableSegments(ctx), eq(segments.id, id)))
    .get()
  return row ? read(ctx, JSON.parse(row.filter)) : null
}

interface FilterState {
  timezone: string
  attributes: ReturnType<typeof definitionsOf> | null
  conditions: number
  /** Cost of the conditions so far for one contact, and its limit. */
  cost: number
  budget: number
}

type Scope = Pick<Ctx, 'db' | 'organizationId' | 'clock'>

function conditionOf(
  ctx: Scope,
  state: FilterState,
  filter: unknown,
  at: { path: string; depth: number },
): SQL {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw refuse(at.path, 'must be a filter')
  if (at.depth > DEEPEST) throw refuse(at.path, `is nested more than ${DEEPEST} levels deep`)
  const { all, any, not: negated, field, op, value } = filter as Record<string, unknown>
  const forms = [all, any, negated, field].filter((form) => form !== undefined)
  if (forms.length !== 1) throw refuse(at.path, 'must have exactly one of all, any, not and field')
  const nested = (child: unknown, name: string): SQL =>
    conditionOf(ctx, state, child, { path: `${at.path}.${name}`, depth: at.depth + 1 })
  if (negated !== undefined) return sql`(${nested(negated, 'not')}) is not 1`
  if (field === undefined) {
    const name = all === undefined ? 'any' : 'all'
    const filters = all ?? any
    if (!Array.isArray(filters) || filters.length === 0)
      throw refuse(`${at.path}.${name}`, 'must be a list of at least one filter')
    const conditions = filters.map((child: unknown, index) => nested(child, `${name}.${index}`))
    return (name === 'all' ? and(...conditions) : or(...conditions)) ?? sql`1`
  }
  state.conditions += 1
  if (state.conditions > MAX_CONDITIONS)
    throw refuse(at.path, `exceeds the limit of ${MAX_CONDITIONS} conditions`)
  if (typeof field !== 'string') throw refuse(`${at.path}.field`, 'must be the name of a field')
  if (typeof op !== 'string') throw refuse(`${at.path}.op`, 'must be the name of an operator')
  addCost(state, costOf(field, op), at.path)
  if (field === 'tags') return tagCondition(ctx, { op, value, path: at.path })
  if (field === 'campaign') return campaignCondition(ctx, { op, value, path: at.path })
  const compared = IDS.has(field) ? normalizedIds(value) : value
  return compare(ctx, state, fieldOf(ctx, state, field, at.path), {
    op,
    value: compared,
    path: at.path,
  })
}

function costOf(field: string, op: string): number {
  if (field === 'tags' || field === 'campaign') return COSTS.rows
  if (op === 'contains' || op === 'starts_with') return COSTS.text
  return field.includes('.') ? COSTS.json : COSTS.column
}

/** Adds the cost of a condition. Throws InvalidError `segment_too_expensive`. */
function addCost(state: FilterState, cost: number, path: string): void {
  state.cost += cost
  if (state.cost <= state.budget) return
  throw new InvalidError(
    `\`${path}\`: the filter takes too long with this number of contacts. Remove this ` +
      'condition or others; tags and campaigns cost the most.',
    {
      code: 'segment_too_expensive',
      errors: [{ path, message: 'makes the filter too slow' }],
    },
  )
}

/** Resolves a field name. Throws InvalidError for an unknown field. */
function fieldOf(ctx: Scope, state: FilterState, name: string, path: string): Field {
  if (Object.hasOwn(COLUMNS, name)) return COLUMNS[name] as Field
  const [, space, key] = /^(attributes|metadata)\.(.{1,64})$/.exec(name) ?? []
  if (space === 'attributes' && key !== undefined) {
    state.attributes ??= definitionsOf(ctx)
    const definition = state.attributes.get(key)
    if (definition)
      return {
        kind: ATTRIBUTE_KINDS[definition.type],
        value: sql`json_extract(${contacts.attributes}, ${`$.${key}`})`,
      }
  }
  if (space === 'metadata' && key !== undefined && /^[^"\\\p{C}]+$/u.test(key))
    return { kind: 'any', value: sql`json_extract(${contacts.metadata}, ${`$."${key}"`})` }
  throw refuse(`${path}.field`, 'is not a field that can be filtered by')
}

interface Comparison {
  op: string
  value: unknown
  path: string
}

/** Matches contacts that have one of the tags, given by ID or name. */
function tagCondition(ctx: Scope, { op, value, path }: Comparison): SQL {
  const hasTag = (condition: SQL | undefined): SQL =>
    sql`exists (select 1 from ${contactTags} where ${inOrganization(ctx, contactTags, eq(contactTags.contactId, contacts.id), condition)})`
  if (op === 'exists') return asBoolean(value, path) ? hasTag(undefined) : not(hasTag(undefined))
  if (!['eq', 'ne', 'in', 'nin', 'contains'].includes(op))
    throw refuse(`${path}.op`, 'is not supported for tags; use eq, ne, in, nin or exists')
  const names =
    op === 'in' || op === 'nin' ? listOf(value, path, asText) : [asText(value, `${path}.value`)]
  const keys = names.map(tagKey)
  const named = ctx.db.orm
    .select({ id: tags.id })
    .from(tags)
    .where(
      inOrganization(ctx, tags, or(inArray(tags.id, validIds(names)), inArray(tags.nameKey, keys))),
    )
    .all()
  const condition = hasTag(
    inArray(
      contactTags.tagId,
      named.map(({ id }) => id),
    ),
  )
  return op === 'ne' || op === 'nin' ? not(condition) : condition
}

/** Matches contacts that were sent a message of one of the campaigns, given by ID. */
function campaignCondition(ctx: Scope, { op, value, path }: Comparison): SQL {
  const sameContact = and(
    eq(campaignRecipients.organizationId, contacts.organizationId),
    eq(campaignRecipients.contactId, contacts.id),
  )
  const wasSent = (condition: SQL | undefined): SQL =>
    exists(
      ctx.db.orm
        .select({ one: sql`1` })
        .from(campaignRecipients)
        .where(
          inOrganization(
            ctx,
            campaignRecipients,
            sameContact,
            isNotNull(campaignRecipients.sentAtMs),
            condition,
          ),
        ),
    )
  if (op === 'exists') return asBoolean(value, path) ? wasSent(undefined) : not(wasSent(undefined))
  if (!['eq', 'ne', 'in', 'nin'].includes(op))
    throw refuse(`${path}.op`, 'is not supported for campaign; use eq, ne, in, nin or exists')
  const ids = (
    op === 'in' || op === 'nin' ? listOf(value, path, asText) : [asText(value, `${path}.value`)]
  ).map(normalizeId)
  const condition = wasSent(inArray(campaignRecipients.campaignId, ids))
  return op === 'ne' || op === 'nin' ? not(condition) : condition
}

const SIGNS: Record<string, SQL> = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

function compare(
  ctx: Scope,
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
  ctx: Scope,
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

function asText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE_LENGTH)
    throw refuse(path, `must be a string of 1 to ${MAX_VALUE_LENGTH} characters`)
  return value
}

function asNumber(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(path, 'must be a number')
  return value
}

/** Reads the value of `exists`, which defaults to true. */
function asBoolean(value: unknown, path: string): boolean {
  if (value === undefined) return true
  if (typeof value !== 'boolean') throw refuse(`${path}.value`, 'must be true or false')
  return value
}

const READERS: Record<Exclude<Kind, 'time'>, (value: unknown, path: string) => string | number> = {
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

function listOf<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): T[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES)
    throw refuse(`${path}.value`, `must be a list of 1 to ${MAX_VALUES} values`)
  return value.map((one: unknown, index) => read(one, `${path}.value.${index}`))
}
