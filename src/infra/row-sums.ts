import { asc, gt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { ROWS_PER_READ, type Candidates } from './bounded-list'
import { hasIdIn, inOrganization, type Ctx } from './ctx'
import { BatchSize } from './batch-size'
import { inSlices } from './event-loop'
import { uuidPlaceholder } from './db/uuid'

/** A table of tenant data. */
type TenantTable = SQLiteTable & { organizationId: SQLiteColumn; id: SQLiteColumn }

/** The rows and values to add up. */
export interface Scan<K extends string> {
  table: TenantTable
  filter: SQL
  sums: Record<K, SQL>
  /** Only rows whose `column` is one of these; all rows if `null`. */
  among: { column: SQLiteColumn; candidates: Candidates } | null
  /** Also counts the matching rows by the values of these columns. */
  groups?: {
    columns: Record<string, SQLiteColumn>
    /** Called with the values and the number of rows of a group, several times for each. */
    add: (values: Record<string, unknown>, rows: number) => void
  }
}

/**
 * Counts the rows that match a filter and adds up values of each. Works in slices of a few
 * milliseconds, so it must not run inside a transaction. Concurrent changes may or may not be
 * counted.
 */
export async function sumOverRows<K extends string>(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'eventLoop'>,
  scan: Scan<K>,
): Promise<Record<K | 'rows', number>> {
  const names = ['rows', ...Object.keys(scan.sums)] as (K | 'rows')[]
  const totals = Object.fromEntries(names.map((name) => [name, 0])) as Record<K | 'rows', number>
  const next = partsOf(ctx, scan)
  await inSlices(ctx, () => {
    const part = next()
    if (part === null) return true
    for (const name of names) totals[name] += part[name] ?? 0
    return false
  })
  return totals
}

/** Reads the rows in parts. Each call returns the sums of the next part, `null` at the end. */
function partsOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { table, filter, sums, among, groups }: Scan<string>,
): () => Record<string, number> | null {
  const columns = namedSums(sums)
  const totals = Object.fromEntries(
    Object.keys(columns).map((name) => [
      name,
      sql<number>`coalesce(sum(fits * ${sql.identifier(`sum_${name}`)}), 0)`,
    ]),
  )
  const grouped = Object.entries(groups?.columns ?? {})
  const values = grouped.map(([name, column]) => [
    `group_${name}`,
    sql`${column}`.mapWith(column).as(`group_${name}`),
  ])
  const groupColumns = grouped.map(
    ([name, column]) =>
      [`group_${name}`, sql`${sql.identifier(`group_${name}`)}`.mapWith(column)] as const,
  )
  const rows = ctx.db.orm
    .select({
      id: table.id,
      fits: sql<number>`coalesce((${filter}), 0)`.as('fits'),
      ...columns,
      ...Object.fromEntries(values),
    })
    .from(table)
  const read = (part: ReturnType<typeof rows.as>): PartReader => {
    const query = ctx.db.orm
      .select({
        looked: sql<number>`count(*)`,
        last: sql`max(${sql.identifier('id')})`.mapWith(table.id),
        ...totals,
        ...Object.fromEntries(groupColumns),
      })
      .from(part)
    if (!groups) return query.prepare()
    return addedUp(query.groupBy(...groupColumns.map(([, column]) => column)).prepare(), groups)
  }
  if (among !== null)
    return partsOfCandidates(
      read(rows.where(inOrganization(ctx, table, hasIdIn(among.column))).as('part')),
      among.candidates,
    )
  const range = inOrganization(ctx, table, gt(table.id, uuidPlaceholder('after')))
  return partsOfAll(
    read(rows.where(range).orderBy(asc(table.id)).limit(sql.placeholder('limit')).as('part')),
  )
}

/** Returns the values to add up under their names in a part. */
const namedSums = (sums: Record<string, SQL>) =>
  Object.fromEntries(
    Object.entries({ rows: sql`1`, ...sums }).map(([name, value]) => [
      name,
      sql<number>`${value}`.as(`sum_${name}`),
    ]),
  )

/** Reads the groups of a part and returns their sum, so that a part looks as without groups. */
const addedUp = (
  query: { all: (values: Record<string, unknown>) => Record<string, unknown>[] },
  { columns, add }: NonNullable<Scan<string>['groups']>,
): PartReader => ({
  get(values) {
    const sums: Record<string, number> = { looked: 0, rows: 0 }
    let last = ''
    for (const group of query.all(values)) {
      for (const [name, value] of Object.entries(group))
        if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value
      if (typeof group['last'] === 'string' && group['last'] > last) last = group['last']
      const names = Object.keys(columns)
      const rows = Number(group['rows'])
      if (rows > 0)
        add(Object.fromEntries(names.map((name) => [name, group[`group_${name}`]])), rows)
    }
    return { ...sums, last }
  },
})

interface PartReader {
  get: (values: Record<string, unknown>) => Record<string, unknown> | undefined
}

type Part = Record<string, number> & { looked?: number; last?: string }

function partsOfAll(reader: PartReader): () => Record<string, number> | null {
  let after: string | null = ''
  const pace = new BatchSize(ROWS_PER_READ)
  return () => {
    if (after === null) return null
    return pace.part((limit) => {
      const part = reader.get({ after, limit }) as Part | undefined
      after = part?.looked === limit ? (part.last ?? null) : null
      return part ?? null
    })
  }
}

function partsOfCandidates(
  reader: PartReader,
  candidates: Candidates,
): () => Record<string, number> | null {
  const batches = candidates.batches()
  const seen = new SeenIds()
  const pace = new BatchSize(ROWS_PER_READ)
  let fresh: string[] = []
  return () => {
    if (fresh.length === 0) {
      const { done, value: ids } = batches.next()
      if (done === true) return null
      fresh = ids.filter((id) => seen.add(id))
    }
    return pace.part(
      (most) =>
        (reader.get({ ids: JSON.stringify(fresh.splice(0, most)) }) as Part | undefined) ?? null,
    )
  }
}

/**
 * IDs seen so far, in many small sets. Growing one set of hundreds of thousands of IDs takes tens
 * of milliseconds each time.
 */
class SeenIds {
  private readonly byDigits = new Map<string, Set<string>>()

  /** Adds an ID. Returns whether it is new. */
  add(id: string): boolean {
    const digits = id.slice(16, 18) + id.slice(-2) // the digits that differ most in IDs of any maker
    const known = this.byDigits.get(digits)
    if (known?.has(id) === true) return false
    if (known) known.add(id)
    else this.byDigits.set(digits, new Set([id]))
    return true
  }
}
