import { type SQL, and, eq, or, sql } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { InvalidError } from '../../../../lib/errors'
import { getOrganization } from '../../../organization/organizations/service'
import { segments } from '../../../outreach/segments/table'
import { contactCounts } from '../table'
import { compare } from './compare'
import { type FilterState, type FieldScope, fieldOf } from './fields'
import { campaignCondition, tagCondition } from './related'
import { refuse } from './values'

/** Limits on the nesting and size of a filter (messages contract 3, rule 11). */
const DEEPEST = 5

const MAX_CONDITIONS = 50

/**
 * Maximum cost of a filter: the cost of its conditions times the organization's contacts. One unit
 * is one column comparison, a fraction of a microsecond.
 */
const BUDGET = 20_000_000

/**
 * Returns the SQL condition for a segment filter: `{all: […]}`, `{any: […]}`, `{not: …}` or
 * `{field, op, value}`. Values are always bound as parameters. Has no cost limit, because jobs read
 * contacts in small batches. Throws InvalidError with the path of an unknown field or invalid
 * value.
 */
export const segmentCondition = (ctx: FieldScope, filter: unknown): SQL =>
  readFilter(ctx, filter, Infinity)

/**
 * Returns the SQL condition for a filter that a request evaluates over all contacts. Also throws
 * InvalidError `segment_too_expensive`, with the path of the condition that exceeds the budget.
 */
export const boundedSegmentCondition = (ctx: FieldScope, filter: unknown): SQL =>
  readFilter(ctx, filter, BUDGET / Math.max(1, countContacts(ctx)))

const FRESH = { attributes: null, conditions: 0, cost: 0 }
const START = { path: 'body.filter', depth: 1 }

const readFilter = (ctx: FieldScope, filter: unknown, budget: number): SQL =>
  conditionOf(ctx, { ...FRESH, timezone: getOrganization(ctx).timezone, budget }, filter, START)

/**
 * Returns the first problem of a filter of another installation, or `null`. Custom fields that it
 * names may have been deleted since it was saved, so they are not looked up.
 */
export function problemOfForeignFilter(ctx: FieldScope, filter: unknown): string | null {
  try {
    conditionOf(
      ctx,
      { ...FRESH, timezone: 'UTC', budget: Infinity, isForeign: true },
      filter,
      START,
    )
    return null
  } catch (error) {
    if (error instanceof InvalidError) return error.message
    throw error
  }
}

/** Returns the organization's number of contacts, deleted ones excluded. */
export const countContacts = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>): number =>
  ctx.db.orm
    .select({ rows: contactCounts.contacts })
    .from(contactCounts)
    .where(inOrganization(ctx, contactCounts))
    .get()?.rows ?? 0

/** Returns the condition for segments the actor may use: shared ones and its own. */
export const usableSegments = (ctx: Pick<ReadCtx, 'actor'>): SQL | undefined =>
  or(eq(segments.isShared, true), eq(segments.createdBy, ctx.actor.userId ?? ''))

/**
 * Returns the SQL condition of a saved segment, or `null` if the caller may not use a segment with
 * this ID.
 */
export function conditionOfSegment(
  ctx: FieldScope & Pick<ReadCtx, 'actor'>,
  id: string,
  read = segmentCondition,
): SQL | null {
  const row = ctx.db.orm
    .select({ filter: segments.filter })
    .from(segments)
    .where(inOrganization(ctx, segments, usableSegments(ctx), eq(segments.id, id)))
    .get()
  return row ? read(ctx, row.filter) : null
}

function conditionOf(
  ctx: FieldScope,
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
  if (state.isForeign && field.startsWith('attributes.')) return sql`1`
  return compare(ctx, state, fieldOf(ctx, state, field, at.path), { op, value, path: at.path })
}

/**
 * Cost of a condition on a column, on a value inside a JSON object, on a text search, and on rows
 * of another table.
 */
const COSTS = { column: 1, json: 2, text: 3, rows: 5 }

/** Returns the cost of a condition for one contact. */
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
