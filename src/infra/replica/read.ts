import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'

/**
 * Returns the time of the newest change in the database of a follower, epoch milliseconds: its
 * newest event, or the newest run of a schedule, one of which runs every 30 seconds. Returns `null`
 * if the file cannot be read.
 */
export function newestChangeMs(path: string): number | null {
  if (!existsSync(path)) return null
  try {
    using database = new Database(path, { readonly: true })
    return (
      database
        .query<{ atMs: number | null }, []>(
          `select max(
             coalesce((select at_ms from events order by position desc limit 1), 0),
             coalesce((select max(slot_ms) from job_schedules), 0)
           ) as atMs`,
        )
        .get()?.atMs ?? null
    )
  } catch {
    return null
  }
}
