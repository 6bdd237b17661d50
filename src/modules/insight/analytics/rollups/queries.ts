import type { SQLQueryBindings } from 'bun:sqlite'
import { and, isNotNull, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import { inSlices } from '../../../../infra/event-loop'
import { DAY_MS } from '../../../../lib/clock'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { COUNT_TABLES, LONG_TABLES } from './catalog'
import type { Plan, Span } from './plan'
import { HOURS_KEPT_DAYS, KEPT_PART, slotOf, UNIT } from './rules'
import { rollupParts } from './table'

/** Whether the counters of the organization are being counted again from the stored facts. */
export const isRebuilding = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>): boolean =>
  ctx.db.orm
    .select({ part: rollupParts.part })
    .from(rollupParts)
    .where(inOrganization(ctx, rollupParts, isNotNull(rollupParts.through)))
    .get() !== undefined

/** Returns the part of the counts that reports read, and how often rows were folded into longer ones. */
export function livePart(ctx: Pick<ReadCtx, 'db' | 'organizationId'>): {
  part: number
  folds: number
} {
  const found = ctx.db.orm
    .select({ part: rollupParts.part, folds: rollupParts.folds })
    .from(rollupParts)
    .where(and(inOrganization(ctx, rollupParts), isNull(rollupParts.through)))
    .get()
  if (!found) throw new Error('the organization has no counts')
  return found
}

/** What a report reads from a table of counts. */
export interface Reading {
  table:
    | 'message_rollups'
    | 'contact_rollups'
    | 'cost_changes'
    | 'cost_rollups'
    | 'agent_message_counts'
    | 'agent_response_counts'
    | 'transfer_counts'
    | 'bot_session_counts'
    | 'ai_call_counts'
    | 'keyword_rollups'
    | 'contacts_seen'
  /** Expressions by which rows are added up. */
  keys: readonly string[]
  /** Columns that are added up. */
  sums: readonly string[]
  /** Conditions with their values. */
  where: readonly (readonly [condition: string, value: SQLQueryBindings])[]
  plan: Pick<Plan, 'spans'>
  /** Periods read per query, where the usual number is too many or too few. */
  atOnce?: Readonly<Record<number, number>>
  /** Columns whose values are returned in a JSON list for each group, after the sums. */
  lists?: readonly string[]
  /**
   * How rows are added up: by their periods, which is usual, or over all periods of a query, whose
   * rows then bear its first period.
   */
  addUp?: 'by period' | 'over all'
}

/** A key or a sum. IDs are bytes. */
export type CountValue = string | number | Uint8Array

/** A row of a table of counts, added up: unit and start of its period, keys and sums. */
export type CountRow = [unit: number, start: number, ...values: CountValue[]]

/** Periods read per query, by unit: each query takes a millisecond or two. */
const AT_ONCE: Readonly<Record<number, number>> = {
  [UNIT.NEW]: 192,
  [UNIT.HOUR]: 192,
  [UNIT.DAY]: 31,
  [UNIT.MONTH]: 36,
}

/** How often a report that was overtaken by the folding of rows is read again. */
const MAX_READS = 5

/**
 * Returns the rows of some readings, in slices of a few milliseconds. Reads again if rows were moved
 * or replaced meanwhile, so that all rows are of one moment and none is counted twice or not at all.
 */
export async function readCounts(ctx: Ctx, readings: readonly Reading[]): Promise<CountRow[][]> {
  for (let read = 1; read < MAX_READS; read += 1) {
    const { part, folds } = livePart(ctx)
    const found: CountRow[][] = readings.map(() => [])
    await inSlices(ctx, stepsOf(ctx, readings, { part, found }))
    const now = livePart(ctx)
    if (now.part === part && now.folds === folds) return found
  }
  // Rows are moved all the time. In one slice, which is longer than others, none is.
  const found: CountRow[][] = readings.map(() => [])
  const step = stepsOf(ctx, readings, { part: livePart(ctx).part, found })
  while (!step());
  return found
}

/** Returns a function that runs one query at each call. It returns whether that was the last one. */
function stepsOf(
  ctx: Ctx,
  readings: readonly Reading[],
  { part, found }: { part: number; found: CountRow[][] },
): () => boolean {
  const steps = readings.flatMap((reading, nth) => {
    const values = [
      uuidToBytes(ctx.organizationId),
      part,
      ...reading.where.map(([, value]) => value),
    ]
    return reading.plan.spans
      .flatMap((span) => chunksOf(span, { ...AT_ONCE, ...reading.atOnce }))
      .map((chunk) => ({ reading, chunk, values, rows: found[nth] }))
  })
  let next = 0
  return () => {
    const step = steps[next]
    next += 1
    if (step) {
      const { unit, from, before } = step.chunk
      const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(statementOf(step.reading))
      for (const row of statement.values(unit, from, before, ...step.values))
        step.rows?.push(row as CountRow)
    }
    return next >= steps.length
  }
}

/** Returns the query of a reading. Parameters: unit, first and last period, organization, part, conditions. */
export function statementOf({
  table,
  keys,
  sums,
  lists = [],
  where,
  addUp = 'by period',
}: Reading): string {
  const period = addUp === 'over all' ? ['?1', '?2'] : ['unit', 'start']
  const groups = [...(addUp === 'over all' ? [] : period), ...keys]
  const values = [
    ...sums.map((sum) => `sum(${sum})`),
    ...lists.map((column) => `json_group_array(${column})`),
  ]
  return `select ${[...period, ...keys, ...values].join(', ')}
     from ${table} where organization_id = ?4 and part in (${KEPT_PART}, ?5) and unit = ?1 and start >= ?2 and start < ?3
     ${where.map(([condition], nth) => `and ${condition.replace('?', `?${nth + 6}`)}`).join(' ')}
     ${groups.length === 0 ? '' : `group by ${groups.join(', ')}`}`
}

function chunksOf({ unit, from, before }: Span, sizes: Readonly<Record<number, number>>): Span[] {
  const size = sizes[unit] ?? 1
  const count = Math.ceil((before - from) / size)
  return Array.from({ length: count }, (_, nth) => ({
    unit,
    from: from + nth * size,
    before: Math.min(before, from + (nth + 1) * size),
  }))
}

/** Returns the organizations with counts of quarter hours or hours that may be due to be moved. */
export function organizationsToFold(deps: Pick<Ctx, 'db' | 'clock'>): string[] {
  const hasRows = (table: string, condition: string): string =>
    `exists (select 1 from ${table} r where r.organization_id = p.organization_id and r.part in (p.part, ${KEPT_PART}) and ${condition})`
  const due = [
    ...COUNT_TABLES.map(({ table }) => hasRows(table, `r.unit = ${UNIT.NEW} and r.start < ?1`)),
    ...LONG_TABLES.map(({ table, leads: [lead = ''] }) =>
      hasRows(table, `${lead} r.unit = ${UNIT.HOUR} and r.start < ?2`),
    ),
  ]
  const before = (days: number): number => slotOf(deps.clock.nowMs() - days * DAY_MS)
  return deps.db.sqlite
    .query<{ id: Uint8Array }, [number, number]>(
      `select p.organization_id as id from rollup_parts p where ${due.join('\n or ')} group by p.organization_id`,
    )
    .all(before(2), before(HOURS_KEPT_DAYS + 1))
    .map(({ id }) => bytesToUuid(id))
}
