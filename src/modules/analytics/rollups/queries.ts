import type { SQLQueryBindings } from 'bun:sqlite'
import { and, isNotNull, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { bytesToUuid, uuidToBytes } from '../../../infra/db/uuid'
import { inSlices } from '../../../infra/event-loop'
import { DAY_MS } from '../../../lib/clock'
import type { Plan, Span } from './plan'
import { KEPT_PART, SLOT_MS, UNIT } from './rules'
import { rollupParts } from './table'

/** Whether the counters of the organization are being counted again from the stored facts. */
export const isRebuilding = (ctx: Ctx): boolean =>
  ctx.db.orm
    .select({ part: rollupParts.part })
    .from(rollupParts)
    .where(inOrganization(ctx, rollupParts, isNotNull(rollupParts.through)))
    .get() !== undefined

/** Returns the part of the counts that reports read, and how often rows were folded into longer ones. */
function livePart(ctx: Ctx): { part: number; folds: number } {
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
  table: 'message_rollups' | 'contact_rollups' | 'cost_changes' | 'cost_rollups'
  /** Expressions by which rows are added up, besides the time. */
  keys: readonly string[]
  /** Columns that are added up. */
  sums: readonly string[]
  /** Conditions with their values. */
  where: readonly (readonly [condition: string, value: SQLQueryBindings])[]
  plan: Pick<Plan, 'spans'>
  /** Periods read per query, where the usual number is too many. */
  atOnce?: Readonly<Record<number, number>>
  /** `false` returns the rows as they are stored, where few have the same keys. */
  isGrouped?: boolean
}

/** A row of a table of counts, added up: unit and start of its period, keys and sums. */
export type CountRow = [unit: number, start: number, ...values: (string | number)[]]

/** Periods read per query, by unit: each query takes a millisecond or two. */
const AT_ONCE: Readonly<Record<number, number>> = {
  [UNIT.NEW]: 192,
  [UNIT.QUARTER]: 192,
  [UNIT.DAY]: 31,
  [UNIT.MONTH]: 36,
}

/** How often a report that was overtaken by the folding of rows is read again. */
const MAX_READS = 5

/**
 * Returns the rows of some readings, in slices of a few milliseconds. Reads again if rows were moved
 * meanwhile, so that none is counted twice or not at all.
 */
export async function readCounts(ctx: Ctx, readings: readonly Reading[]): Promise<CountRow[][]> {
  for (let read = 1; ; read += 1) {
    const { part, folds } = livePart(ctx)
    const found: CountRow[][] = []
    for (const reading of readings) found.push(await readOne(ctx, reading, part))
    const now = livePart(ctx)
    if ((now.part === part && now.folds === folds) || read === MAX_READS) return found
  }
}

async function readOne(ctx: Ctx, reading: Reading, part: number): Promise<CountRow[]> {
  const { table, keys, sums, where, plan, isGrouped = true } = reading
  const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(
    `select ${['unit', 'start', ...keys, ...sums.map((sum) => (isGrouped ? `sum(${sum})` : sum))].join(', ')}
     from ${table} where organization_id = ? and part in (${KEPT_PART}, ?)
     ${where.map(([condition]) => `and ${condition}`).join(' ')} and unit = ? and start >= ? and start < ?
     ${isGrouped ? `group by ${['unit', 'start', ...keys].join(', ')}` : ''}`,
  )
  const fixed = [uuidToBytes(ctx.organizationId), part, ...where.map(([, value]) => value)]
  const chunks = plan.spans.flatMap((span) => chunksOf(span, reading.atOnce ?? AT_ONCE))
  const rows: CountRow[] = []
  let next = 0
  await inSlices(ctx, () => {
    const chunk = chunks[next]
    next += 1
    if (!chunk) return true
    for (const row of statement.values(...fixed, chunk.unit, chunk.from, chunk.before))
      rows.push(row as CountRow)
    return next === chunks.length
  })
  return rows
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

/**
 * Returns the organizations with counts of quarter hours that may be moved to their days: those of
 * more than two days ago.
 */
export const organizationsToFold = (deps: Pick<Ctx, 'db' | 'clock'>): string[] =>
  deps.db.sqlite
    .query<{ id: Uint8Array }, [number]>(
      `select p.organization_id as id from rollup_parts p
       where exists (select 1 from message_rollups r where r.organization_id = p.organization_id and r.part = p.part and r.unit = ${UNIT.NEW} and r.start < ?1)
          or exists (select 1 from cost_changes c where c.organization_id = p.organization_id and c.part = p.part and c.unit = ${UNIT.NEW} and c.start < ?1)
          or exists (select 1 from message_rollups k where k.organization_id = p.organization_id and k.part = ${KEPT_PART} and k.unit = ${UNIT.NEW} and k.start < ?1)
       group by p.organization_id`,
    )
    .all(Math.floor((deps.clock.nowMs() - 2 * DAY_MS) / SLOT_MS))
    .map(({ id }) => bytesToUuid(id))
