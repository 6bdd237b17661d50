import { sql, type Placeholder } from 'drizzle-orm'

/**
 * Returns a named placeholder for a hot statement whose value the query planner ignores. For
 * conditions and limits, not for values that are stored.
 *
 * SQLite chooses a plan by the bound values, including that of `limit ?`, and recompiles most
 * statements on each run, which can take thirty times as long as running them. `+?` means the same
 * as `?` and prevents it. Do not use it for a column whose value decides which partial index can be
 * used.
 */
export const opaqueParam = (name: string): Placeholder =>
  sql`+${sql.placeholder(name)}` as unknown as Placeholder // Drizzle takes any expression where its types name a placeholder

/** Returns a fixed limit written into the statement, where Drizzle would bind it. */
export const fixedLimit = (rows: number): Placeholder =>
  sql.raw(String(Math.trunc(rows))) as unknown as Placeholder // as above
