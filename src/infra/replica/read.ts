import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'

/**
 * Returns the time of the newest change in a database, epoch milliseconds: its newest event, or the
 * newest run of a schedule, one of which runs every 30 seconds. `null` if no server has worked on it.
 */
export function newestChangeIn(database: Database): number | null {
  const found = database
    .query<{ atMs: number | null }, []>(
      `select nullif(max(
         coalesce((select at_ms from events order by position desc limit 1), 0),
         coalesce((select max(slot_ms) from job_schedules), 0)
       ), 0) as atMs`,
    )
    .get()
  return found?.atMs ?? null
}

/**
 * Returns the time of the newest change in the database of a follower, epoch milliseconds. `null` if
 * the file cannot be read.
 */
export function newestChangeMs(path: string): number | null {
  if (!existsSync(path)) return null
  try {
    using database = new Database(path, { readonly: true })
    return newestChangeIn(database)
  } catch {
    return null
  }
}
