import type { SQLQueryBindings } from 'bun:sqlite'

import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { uuidToBytes } from '../../../../infra/db/uuid'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { dateAfter, localDateOf, localDayOf } from '../../../../lib/local-day'
import { getOrganization } from '../../../organization/organizations/service'
import { ALL_TABLES, COUNT_TABLES, LONG_TABLES, type CountTable, type LongTable } from './catalog'
import {
  ALL_PERIODS,
  dateOfDay,
  dateOfMonth,
  dayNumber,
  HOURS_KEPT_DAYS,
  monthNumber,
  SLOT_MS,
  slotOf,
  SLOTS_PER_HOUR,
  UNIT,
} from './rules'

/** Days that are read by the quarter hour only: today and yesterday still change all the time. */
const NEW_DAYS = 2

/** Days are kept for three years, then months. */
const DAYS_KEPT_YEARS = 3

/** Rows moved per transaction. */
const AT_ONCE = 250

/** The times by which the rows of an organization are moved. */
interface Limits {
  timezone: string
  /** Quarter hours before this one are counted by the day. */
  newSlot: number
  /** Hours before this quarter hour are deleted. */
  hourSlot: number
  /** Days before this one are counted by the month. */
  day: number
}

function limitsOf(ctx: Ctx): Limits {
  const { timezone } = getOrganization(ctx)
  const today = localDateOf(ctx.clock.nowMs(), timezone)
  const slotOn = (date: string): number => slotOf(localDayOf(date, timezone).fromMs)
  const oldest = Temporal.PlainDate.from(today)
    .subtract({ years: DAYS_KEPT_YEARS })
    .with({ day: 1 })
  return {
    timezone,
    newSlot: slotOn(dateAfter(today, 1 - NEW_DAYS)),
    hourSlot: slotOn(dateAfter(today, -HOURS_KEPT_DAYS)),
    day: dayNumber(oldest.toString()),
  }
}

/**
 * Adds the counts of past quarter hours to their local hours and days, deletes hours after 90 days,
 * and adds days to their months after three years. Each transaction moves a few hundred rows.
 * If interrupted, it continues where it was. The time zone is that of the moment: it may change
 * between two transactions.
 */
export async function foldRollups(ctx: Ctx): Promise<void> {
  while (transact(ctx.db, (tx) => foldIn(tx, ctx, limitsOf(ctx)), { wakes: false }))
    await yieldToEventLoop()
}

/** Moves some rows, in the caller's transaction. Returns whether there were any. */
function foldIn(tx: Tx, ctx: Ctx, limits: Limits): boolean {
  const parts = partsOf(ctx)
  return (
    COUNT_TABLES.some((counted) =>
      parts.some((part) => foldNewIn(tx, ctx, { counted, part, limits })),
    ) ||
    LONG_TABLES.some((long) =>
      parts.some((part) =>
        long.leads.some((lead) => foldOldIn(tx, ctx, { long, part, lead, limits })),
      ),
    ) ||
    deleteStaleIn(tx, ctx, parts)
  )
}

/** Runs a statement whose first parameter is the organization. Returns the number of changes. */
const run = (ctx: Ctx, statement: string, values: SQLQueryBindings[]): number =>
  ctx.db.sqlite.query(statement).run(uuidToBytes(ctx.organizationId), ...values).changes

const first = (ctx: Ctx, statement: string, values: SQLQueryBindings[]): number | null =>
  ctx.db.sqlite
    .query<{ start: number | null }, SQLQueryBindings[]>(statement)
    .get(uuidToBytes(ctx.organizationId), ...values)?.start ?? null

const partsOf = (ctx: Ctx): number[] => [
  0,
  ...ctx.db.sqlite
    .query<{ part: number }, [Uint8Array]>(
      'select part from rollup_parts where organization_id = ?',
    )
    .all(uuidToBytes(ctx.organizationId))
    .map(({ part }) => part),
]

/** Moves quarter hours of one local day to its hours and to the day. */
function foldNewIn(
  tx: Tx,
  ctx: Ctx,
  { counted, part, limits }: { counted: CountTable; part: number; limits: Limits },
): boolean {
  void tx // one connection: the statements run inside the transaction that `tx` proves to be open
  const { table, sums, targets, keepsHours } = counted
  const start = first(
    ctx,
    `select min(start) as start from ${table} where organization_id = ?1 and part = ?2 and unit = ${UNIT.NEW}`,
    [part],
  )
  if (start === null || start >= limits.newSlot) return false
  const date = localDateOf(start * SLOT_MS, limits.timezone)
  const day = localDayOf(date, limits.timezone)
  const span = [part, start, slotOf(day.beforeMs)]
  const rows = oldestRows(counted, `unit = ${UNIT.NEW}`)
  const hour = `?5 + (start - ?5) / ${SLOTS_PER_HOUR} * ${SLOTS_PER_HOUR}`
  const units = [
    { unit: UNIT.DAY, start: '?5', value: dayNumber(date) },
    ...(keepsHours && start >= limits.hourSlot
      ? [{ unit: UNIT.HOUR, start: hour, value: slotOf(day.fromMs) }]
      : []),
  ]
  for (const { value, ...period } of units)
    for (const target of targets)
      run(ctx, addUp(target, { from: `(${rows})`, ...period, sums }), [...span, value])
  run(ctx, deletion(counted, `unit = ${UNIT.NEW}`), span)
  return true
}

/** Returns the query of the oldest rows of a span. Parameters: organization, part, first and last. */
const oldestRows = ({ table, keys }: Pick<CountTable, 'table' | 'keys'>, which: string): string =>
  `select * from ${table} where organization_id = ?1 and part = ?2 and ${which} and start >= ?3 and start < ?4
   order by ${['start', ...keys].join(', ')} limit ${AT_ONCE}`

/**
 * Returns the statement that deletes these rows. What all have in common is named apart: SQLite
 * would look through the whole part otherwise.
 */
export function deletion(counts: Pick<CountTable, 'table' | 'keys'>, which: string): string {
  const key = ['start', ...counts.keys].join(', ')
  return `delete from ${counts.table} where organization_id = ?1 and part = ?2 and ${which}
   and (${key}) in (select ${key} from (${oldestRows(counts, which)}))`
}

/** Returns the statement that adds rows to those of a longer period. */
function addUp(
  { table, keys, values }: CountTable['targets'][number],
  {
    from,
    unit,
    start,
    sums,
  }: { from: string; unit: number; start: string; sums: readonly string[] },
): string {
  const columns = ['organization_id', 'part', 'unit', 'start', ...keys]
  return `insert into ${table} (${[...columns, ...sums].join(', ')})
   select organization_id, part, ${unit}, ${start}, ${[...values, ...sums.map((sum) => `sum(${sum})`)].join(', ')}
   from ${from} where true group by ${columns.map((_, nth) => nth + 1).join(', ')}
   on conflict do update set ${sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`
}

/** Deletes old hours, and moves old days to their months. */
function foldOldIn(
  tx: Tx,
  ctx: Ctx,
  { long, part, lead, limits }: { long: LongTable; part: number; lead: string; limits: Limits },
): boolean {
  void tx // as above
  const { table, keys, sums, keepsMonths } = long
  const of = (unit: number): string => `${lead} unit = ${unit}`
  const oldest = (unit: number): number | null =>
    first(
      ctx,
      `select min(start) as start from ${table} where organization_id = ?1 and part = ?2 and ${of(unit)}`,
      [part],
    )
  const remove = (unit: number, span: number[]): number => run(ctx, deletion(long, of(unit)), span)
  const hour = oldest(UNIT.HOUR)
  if (hour !== null && hour < limits.hourSlot)
    return remove(UNIT.HOUR, [part, hour, limits.hourSlot]) > 0
  const day = oldest(UNIT.DAY)
  if (day === null || day >= limits.day) return false
  const month = monthNumber(dateOfDay(day))
  const span = [part, day, dayNumber(dateOfMonth(month + 1))]
  if (keepsMonths)
    run(
      ctx,
      addUp(
        { table, keys, values: keys },
        { from: `(${oldestRows(long, of(UNIT.DAY))})`, unit: UNIT.MONTH, start: '?5', sums },
      ),
      [...span, month],
    )
  return remove(UNIT.DAY, span) > 0
}

/** Deletes counts that a rebuild has replaced or that belong to an abandoned one. */
function deleteStaleIn(tx: Tx, ctx: Ctx, parts: number[]): boolean {
  void tx // as above
  return ALL_TABLES.some((counts) => {
    for (let part: number | null = -1; ;) {
      part = first(
        ctx,
        `select min(part) as start from ${counts.table} where organization_id = ?1 and part > ?2`,
        [part],
      )
      if (part === null) return false
      if (!parts.includes(part)) return deletePartIn(ctx, counts, part)
    }
  })
}

/** Deletes some rows of a part. Returns whether there were any. */
const deletePartIn = (ctx: Ctx, counts: (typeof ALL_TABLES)[number], part: number): boolean =>
  counts.leads.some((lead) =>
    Object.values(UNIT).some(
      (unit) => run(ctx, deletion(counts, `${lead} unit = ${unit}`), [part, 0, ALL_PERIODS]) > 0,
    ),
  )
