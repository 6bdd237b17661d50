import type { SQLQueryBindings } from 'bun:sqlite'
import { and, isNotNull, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import { DAY_MS } from '../../../../lib/clock'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { COUNT_TABLES, LONG_TABLES } from './catalog'
import type { RollupPlan } from './plan'
import { HOURS_KEPT_DAYS, KEPT_PART, slotOf, UNIT } from './rules'
import { rollupParts } from './table'

/** Whether the counters of the organization are being counted again from the stored facts. */
export const isRebuilding = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>): boolean =>
  ctx.db.orm
    .select({ part: rollupParts.part })
    .from(rollupParts)
    .where(inOrganization(ctx, rollupParts, isNotNull(rollupParts.through)))
    .get() !== undefined

/** Returns the part of the counts that reports read. */
export function livePart(ctx: Pick<ReadCtx, 'db' | 'organizationId'>): number {
  const found = ctx.db.orm
    .select({ part: rollupParts.part })
    .from(rollupParts)
    .where(and(inOrganization(ctx, rollupParts), isNull(rollupParts.through)))
    .get()
  if (!found) throw new Error('the organization has no counts')
  return found.part
}

/** What a report reads from a table of counts. */
export interface RollupReading {
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
  plan: Pick<RollupPlan, 'spans'>
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

/** Returns the rows of a reading, with one query for each unit of periods. */
export function countsOf(ctx: ReadCtx, reading: RollupReading): CountRow[] {
  const values = [
    uuidToBytes(ctx.organizationId),
    livePart(ctx),
    ...reading.where.map(([, value]) => value),
  ]
  const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(statementOf(reading))
  return reading.plan.spans.flatMap(
    ({ unit, from, before }) => statement.values(unit, from, before, ...values) as CountRow[],
  )
}

/** Returns the query of a reading. Parameters: unit, first and last period, organization, part, conditions. */
function statementOf({
  table,
  keys,
  sums,
  lists = [],
  where,
  addUp = 'by period',
}: RollupReading): string {
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
