import { isoTimeOrNull } from '../../lib/clock'

export type Facts = Record<string, unknown>

/** Columns that end in `_ms` and hold a duration. All others hold a time. */
const DURATIONS = new Set(['answered_after_ms', 'duration_ms'])

/** Returns a row for the archive: times in ISO 8601, parsed JSON, and no internal columns. */
export function archiveRow(row: Facts): Facts {
  const {
    organizationId: _organization,
    sortName: _sort,
    ownWaId: _own,
    storedAs: _stored,
    ...rest
  } = row
  return Object.fromEntries(
    Object.entries(rest).map(([column, value]) => {
      const name = column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (name.endsWith('_ms') && !DURATIONS.has(name))
        return [name.slice(0, -3), isoTimeOrNull(typeof value === 'number' ? value : null)]
      return [name, typeof value === 'string' && /^[[{]/.test(value) ? parsed(value) : value]
    }),
  )
}

/** Returns an object that the server itself stored as JSON, in the form of `archiveRow`. */
export const archiveJson = (text: string | null): Facts | null =>
  text === null ? null : archiveRow(JSON.parse(text) as Facts)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text // it only begins like JSON
  }
}
