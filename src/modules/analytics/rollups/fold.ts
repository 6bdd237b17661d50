import type { SQLQueryBindings } from 'bun:sqlite'

import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { uuidToBytes } from '../../../infra/db/uuid'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { dateAfter, localDateOf, localDayOf } from '../../../lib/local-day'
import { getOrganization } from '../../organizations/service'
import { WORK_KEYS } from './count-work'
import {
  dateOfDay,
  dateOfMonth,
  dayNumber,
  monthNumber,
  QUARTERS_KEPT_DAYS,
  SLOT_MS,
  UNIT,
} from './rules'

/** Days that are read by the quarter hour only: today and yesterday still change all the time. */
const NEW_DAYS = 2

/** Days are kept for three years, then months. */
const DAYS_KEPT_YEARS = 3

/** Rows moved per transaction. */
const AT_ONCE = 250

/** A table whose rows are moved, and the rows that each becomes. */
interface Folded {
  table: string
  keys: string[]
  sums: string[]
  /** Rows for the target table per row: its name, and its keys with their expressions. */
  targets: { table: string; keys: string[]; values: string[] }[]
  keepsQuarters: boolean
}

const MESSAGE_KEYS = ['account_id', 'source', 'type']
const CONTACT_KEYS = ['account_id', 'contact', 'source']
const COST_SUMS = ['billable', 'free', 'unpriced', 'estimated', 'micros', 'estimated_micros']

/** What costs can be grouped by, and the expression of its key in `cost_changes`. */
export const DIMENSIONS = {
  category: 'category',
  country: 'country',
  source: 'source',
  campaign: 'lower(hex(campaign_id))',
  template: 'lower(hex(template_id))',
  bot_flow: 'lower(hex(bot_flow_id))',
  agent: 'lower(hex(agent_id))',
} as const

const FOLDED: readonly Folded[] = [
  {
    table: 'message_rollups',
    keys: MESSAGE_KEYS,
    sums: ['messages', 'delivered', 'read', 'failed', 'answers', 'answer_ms'],
    targets: [{ table: 'message_rollups', keys: MESSAGE_KEYS, values: MESSAGE_KEYS }],
    keepsQuarters: true,
  },
  {
    table: 'contact_rollups',
    keys: CONTACT_KEYS,
    sums: ['messages'],
    targets: [{ table: 'contact_rollups', keys: CONTACT_KEYS, values: CONTACT_KEYS }],
    keepsQuarters: false,
  },
  {
    table: 'cost_changes',
    keys: [
      ...['account_id', 'category', 'country', 'source', 'campaign_id', 'template_id'],
      ...['bot_flow_id', 'agent_id', 'currency'],
    ],
    sums: COST_SUMS,
    targets: Object.entries(DIMENSIONS).map(([dimension, key]) => ({
      table: 'cost_rollups',
      keys: ['dimension', 'account_id', 'key', 'currency'],
      values: [`'${dimension}'`, 'account_id', key, 'currency'],
    })),
    keepsQuarters: true,
  },
]

/** Tables that hold days and months, with what leads from the organization to the unit in their keys. */
const KEPT = [
  { table: 'message_rollups', lead: [''], keys: MESSAGE_KEYS, sums: FOLDED[0]?.sums ?? [] },
  {
    table: 'cost_rollups',
    lead: Object.keys(DIMENSIONS).map((dimension) => `and dimension = '${dimension}'`),
    keys: ['dimension', 'account_id', 'key', 'currency'],
    sums: COST_SUMS,
  },
  { table: 'contact_rollups', lead: [''], keys: CONTACT_KEYS, sums: null },
]

/** The times by which the rows of an organization are moved. */
interface Limits {
  timezone: string
  /** Quarter hours before this one are counted by the day. */
  newSlot: number
  /** Quarter hours before this one are deleted. */
  quarterSlot: number
  /** Days before this one are counted by the month. */
  day: number
}

function limitsOf(ctx: Ctx): Limits {
  const { timezone } = getOrganization(ctx)
  const today = localDateOf(ctx.clock.nowMs(), timezone)
  const slotOf = (date: string): number => localDayOf(date, timezone).fromMs / SLOT_MS
  const oldest = Temporal.PlainDate.from(today)
    .subtract({ years: DAYS_KEPT_YEARS })
    .with({ day: 1 })
  return {
    timezone,
    newSlot: slotOf(dateAfter(today, 1 - NEW_DAYS)),
    quarterSlot: slotOf(dateAfter(today, -QUARTERS_KEPT_DAYS)),
    day: dayNumber(oldest.toString()),
  }
}

/**
 * Adds the counts of past quarter hours to their local days, deletes quarter hours after 90 days,
 * and adds days to their months after three years. Each transaction moves a few hundred rows. If
 * interrupted, it continues where it was.
 */
export async function foldRollups(ctx: Ctx): Promise<void> {
  const limits = limitsOf(ctx)
  while (transact(ctx.db, (tx) => foldIn(tx, ctx, limits), { wakes: false }))
    await yieldToEventLoop()
}

/** Moves some rows, in the caller's transaction. Returns whether there were any. */
function foldIn(tx: Tx, ctx: Ctx, limits: Limits): boolean {
  const parts = partsOf(ctx)
  const isDone =
    FOLDED.some((folded) => parts.some((part) => foldNewIn(tx, ctx, { folded, part, limits }))) ||
    KEPT.some((kept) =>
      parts.some((part) =>
        kept.lead.some((lead) => foldOldIn(tx, ctx, { kept, part, lead, limits })),
      ),
    ) ||
    deleteStaleIn(tx, ctx, parts)
  if (isDone) run(ctx, 'update rollup_parts set folds = folds + 1 where organization_id = ?1', [])
  return isDone
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

/** Moves quarter hours of one local day to the day. */
function foldNewIn(
  tx: Tx,
  ctx: Ctx,
  { folded, part, limits }: { folded: Folded; part: number; limits: Limits },
): boolean {
  void tx // one connection: the statements run inside the transaction that `tx` proves to be open
  const { table, keys, sums, targets, keepsQuarters } = folded
  const start = first(
    ctx,
    `select min(start) as start from ${table} where organization_id = ?1 and part = ?2 and unit = ${UNIT.NEW}`,
    [part],
  )
  if (start === null || start >= limits.newSlot) return false
  const date = localDateOf(start * SLOT_MS, limits.timezone)
  const beforeSlot = localDayOf(date, limits.timezone).beforeMs / SLOT_MS
  const span = [part, start, beforeSlot]
  const chosen = `select ${['organization_id', 'part', 'unit', 'start', ...keys].join(', ')}
    from ${table} where organization_id = ?1 and part = ?2 and unit = ${UNIT.NEW} and start >= ?3 and start < ?4
    order by ${['start', ...keys].join(', ')} limit ${AT_ONCE}`
  const source = `(select * from ${table} where organization_id = ?1 and part = ?2 and unit = ${UNIT.NEW} and start >= ?3 and start < ?4
    order by ${['start', ...keys].join(', ')} limit ${AT_ONCE})`
  const units = [
    { unit: UNIT.DAY, value: String(dayNumber(date)) },
    ...(keepsQuarters && start >= limits.quarterSlot
      ? [{ unit: UNIT.QUARTER, value: 'start' }]
      : []),
  ]
  for (const { unit, value } of units)
    for (const target of targets) run(ctx, addUp(target, { from: source, unit, value, sums }), span)
  run(
    ctx,
    `delete from ${table} where (${['organization_id', 'part', 'unit', 'start', ...keys].join(', ')}) in (${chosen})`,
    span,
  )
  return true
}

/** Returns the statement that adds rows to those of a longer period. */
const addUp = (
  { table, keys, values }: Folded['targets'][number],
  { from, unit, value, sums }: { from: string; unit: number; value: string; sums: string[] },
): string =>
  `insert into ${table} (${['organization_id', 'part', 'unit', 'start', ...keys, ...sums].join(', ')})
   select organization_id, part, ${unit}, ${value}, ${[...values, ...sums.map((sum) => `sum(${sum})`)].join(', ')}
   from ${from} where true group by ${[value === 'start' ? 'start' : 'part', ...values.filter((each) => !each.startsWith("'"))].join(', ')}
   on conflict do update set ${sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`

/** Deletes old quarter hours, and moves old days to their months. */
function foldOldIn(
  tx: Tx,
  ctx: Ctx,
  {
    kept,
    part,
    lead,
    limits,
  }: { kept: (typeof KEPT)[number]; part: number; lead: string; limits: Limits },
): boolean {
  void tx // as above
  const { table, keys, sums } = kept
  const columns = ['organization_id', 'part', 'unit', 'start', ...keys].join(', ')
  const rows = (what: string, unit: number): string =>
    `select ${what} from ${table} where organization_id = ?1 and part = ?2 ${lead} and unit = ${unit} and start >= ?3 and start < ?4
     order by ${['start', ...keys].join(', ')} limit ${AT_ONCE}`
  const oldest = (unit: number): number | null =>
    first(
      ctx,
      `select min(start) as start from ${table} where organization_id = ?1 and part = ?2 ${lead} and unit = ${unit}`,
      [part],
    )
  const remove = (unit: number, span: number[]): number =>
    run(ctx, `delete from ${table} where (${columns}) in (${rows(columns, unit)})`, span)
  const quarter = oldest(UNIT.QUARTER)
  if (quarter !== null && quarter < limits.quarterSlot)
    return remove(UNIT.QUARTER, [part, quarter, limits.quarterSlot]) > 0
  const day = oldest(UNIT.DAY)
  if (day === null || day >= limits.day) return false
  const month = monthNumber(dateOfDay(day))
  const span = [part, day, dayNumber(dateOfMonth(month + 1))]
  if (sums !== null)
    run(
      ctx,
      addUp(
        { table, keys, values: keys },
        { from: `(${rows('*', UNIT.DAY)})`, unit: UNIT.MONTH, value: String(month), sums },
      ),
      span,
    )
  return remove(UNIT.DAY, span) > 0
}

/** Deletes counts that a rebuild has replaced or that belong to an abandoned one. */
function deleteStaleIn(tx: Tx, ctx: Ctx, parts: number[]): boolean {
  void tx // as above
  return Object.entries(KEYS).some(([table, keys]) => {
    for (let part: number | null = -1; ;) {
      part = first(
        ctx,
        `select min(part) as start from ${table} where organization_id = ?1 and part > ?2`,
        [part],
      )
      if (part === null) return false
      if (!parts.includes(part)) return deletePartIn(ctx, { table, keys }, part) > 0
    }
  })
}

/** All tables of counts, with what is unique besides organization and part. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(FOLDED.map(({ table, keys }) => [table, ['unit', 'start', ...keys]])),
  cost_rollups: ['dimension', 'unit', 'start', 'account_id', 'key', 'currency'],
  ...WORK_KEYS,
}

function deletePartIn(
  ctx: Ctx,
  { table, keys }: { table: string; keys: readonly string[] },
  part: number,
): number {
  const columns = ['organization_id', 'part', ...keys].join(', ')
  return run(
    ctx,
    `delete from ${table} where (${columns}) in (select ${columns} from ${table} where organization_id = ?1 and part = ?2 limit ${AT_ONCE})`,
    [part],
  )
}
