import { sql, type Placeholder } from 'drizzle-orm'

/**
 * A value of a hot statement that the query planner does not look at; fill it in by its name when
 * the statement runs. For conditions and limits, not for values that are stored.
 *
 * SQLite chooses a plan by the values that are bound, also by that of `limit ?`, and compiles most
 * statements anew each time they run, which takes up to thirty times as long as running them. `+?`
 * means the same as `?` and prevents it. Do not use it for a column whose value decides which
 * partial index can be used.
 */
export const place = (name: string): Placeholder =>
  sql`+${sql.placeholder(name)}` as unknown as Placeholder // Drizzle takes any expression where its types name a placeholder

/** A fixed number of rows, written into the statement: Drizzle would bind it. */
export const atMost = (rows: number): Placeholder =>
  sql.raw(String(Math.trunc(rows))) as unknown as Placeholder // as above
