import type { RowLimit, TableFate } from '../../../../infra/table-fates'
import { invalid, type ArchivePlace } from './fault'
import type { RowToStore } from './row-reader'

/** What an organization has may be more than it can add here: limits of other versions differ. */
const LENIENCE = 2

/**
 * Counts the rows of a table that are limited: of some things an organization has few, because they are
 * all read at once.
 */
export class LimitCheck {
  private readonly counted: { limit: RowLimit; rows: Map<string, number>; characters: number }[]

  constructor({ limits }: Pick<TableFate, 'limits'>) {
    this.counted = limits.map((limit) => ({ limit, rows: new Map(), characters: 0 }))
  }

  /** Counts a row. Throws ArchiveFault for one too many. */
  add(row: RowToStore, place: ArchivePlace): void {
    if (typeof row['deleted_at_ms'] === 'number') return
    for (const one of this.counted) {
      const { where, per, rows: most, characters } = one.limit
      if (where && Number(row[where.column] ?? 0) !== where.is) continue
      const key = per === undefined ? '' : keyOf(row[per])
      const rows = (one.rows.get(key) ?? 0) + 1
      one.rows.set(key, rows)
      if (rows > most * LENIENCE)
        throw invalid(`is more than an organization can have, which is ${most}`, place)
      if (!characters) continue
      one.characters += String(row[characters.column] ?? '').length
      if (one.characters > characters.most * LENIENCE)
        throw invalid(
          `\`${characters.column}\` of all rows have more than ${characters.most} characters`,
          place,
        )
    }
  }
}

const keyOf = (value: RowToStore[string] | undefined): string =>
  value instanceof Uint8Array ? value.toHex() : String(value)
