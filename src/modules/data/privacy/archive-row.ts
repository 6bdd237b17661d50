import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { isoTimeOrNull } from '../../../lib/clock'
import { declarationOf, type Declared } from '../../../infra/db/define-table'

export type Facts = Record<string, unknown>

/** Columns that end in `_ms` and hold a duration. All others hold a time. */
const DURATIONS = new Set(['answered_after_ms', 'duration_ms'])

/** Returns a row for the archive, without the columns that say why they are withheld. */
export function archiveRow<T extends SQLiteTable & Declared>(
  table: T,
  row: T['$inferSelect'],
): Facts {
  const { columns } = declarationOf(table)
  const isShown = (key: string): boolean =>
    key !== 'organizationId' && columns[key]?.withheld === undefined
  return archiveObject(Object.fromEntries(Object.entries(row).filter(([key]) => isShown(key))))
}

/** Returns facts as the API writes them: names with `_`, times in ISO 8601, and parsed JSON. */
export function archiveObject(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([column, value]) => {
      const name = column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (name.endsWith('_ms') && !DURATIONS.has(name))
        return [name.slice(0, -3), isoTimeOrNull(typeof value === 'number' ? value : null)]
      return [name, typeof value === 'string' && /^[[{]/.test(value) ? parsed(value) : value]
    }),
  )
}

/** Returns an object that the server itself stored as JSON, in the form of `archiveObject`. */
export const archiveJson = (text: string | null): Facts | null =>
  text === null ? null : archiveObject(JSON.parse(text) as Facts)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text // it only begins like JSON
  }
}
