import type { Database } from 'bun:sqlite'

import type { Archive } from './archive'
import { invalid, type ArchivePlace } from './fault'
import type { RowToStore } from './row-reader'

/** A reference of a table: its columns, and those of the parent. */
interface Reference {
  parent: string
  from: string[]
  to: string[]
}

/** The keys of the rows of a table that others refer to, by some of its columns. */
interface Keys {
  columns: string[]
  known: Set<string>
}

/** Most rows whose IDs are kept to check references before anything is stored, some 30 MB. */
const MAX_ROWS = 300_000

/**
 * Checks that every reference between rows leads to a row of the archive. Larger archives are not
 * checked here: the database refuses their rows when they are stored.
 */
export class ReferenceCheck {
  /** The references of each table with the keys that they must name. */
  private readonly references = new Map<string, { parent: string; from: string[]; to: Keys }[]>()
  private readonly keys = new Map<string, Keys[]>()
  /** References to later rows of the same table. */
  private later: { key: string; within: Set<string>; place: ArchivePlace }[] = []

  private constructor(sqlite: Database, tables: readonly string[]) {
    for (const table of tables)
      this.references.set(
        table,
        referencesOf(sqlite, table).map(({ parent, from, to }) => ({
          ...{ parent, from },
          to: this.keysOf(parent, to),
        })),
      )
  }

  /** Returns the check of an archive, or `null` if it has too many rows. */
  static of(sqlite: Database, { manifest }: Archive): ReferenceCheck | null {
    const check = new ReferenceCheck(
      sqlite,
      manifest.parts.map(({ table }) => table),
    )
    const rows = manifest.parts
      .filter(({ table }) => check.keys.has(table))
      .reduce((sum, part) => sum + part.rows, 0)
    return rows > MAX_ROWS ? null : check
  }

  private keysOf(table: string, columns: string[]): Keys {
    const ofTable = this.keys.get(table) ?? []
    this.keys.set(table, ofTable)
    const name = columns.join(' ')
    const found = ofTable.find((keys) => keys.columns.join(' ') === name)
    if (found) return found
    const keys = { columns, known: new Set<string>() }
    ofTable.push(keys)
    return keys
  }

  /** Checks the references of a row. Throws ArchiveFault. */
  add(table: string, row: RowToStore, place: ArchivePlace): void {
    for (const { columns, known } of this.keys.get(table) ?? [])
      known.add(keyOf(row, columns) ?? '')
    for (const { parent, from, to } of this.references.get(table) ?? []) {
      const key = keyOf(row, from)
      if (key === null || to.known.has(key)) continue
      if (parent !== table) throw missing(from, parent, place)
      this.later.push({ key, within: to.known, place })
    }
  }

  /** Checks references within a table whose rows were all added. Throws ArchiveFault. */
  endTable(table: string): void {
    for (const { key, within, place } of this.later)
      if (!within.has(key)) throw missing([], table, place)
    this.later = []
  }
}

const missing = (from: string[], parent: string, place: ArchivePlace): Error =>
  invalid(
    `${from.length === 0 ? 'it' : from.map((column) => `\`${column}\``).join(', ')} refers to a row of \`${parent}\` that the archive does not have`,
    place,
  )

/** Returns the values of columns as one text, `null` if one of them is null. */
function keyOf(row: RowToStore, columns: string[]): string | null {
  const values = columns.map((column) => row[column] ?? null)
  if (values.includes(null)) return null
  return values
    .map((value) => (value instanceof Uint8Array ? value.toHex() : String(value)))
    .join(' ')
}

/** Returns the references of a table, without those to the organization itself. */
function referencesOf(sqlite: Database, table: string): Reference[] {
  const rows = sqlite
    .query<{ id: number; parent: string; from: string; to: string }, [string]>(
      'select id, "table" as parent, "from", "to" from pragma_foreign_key_list(?) order by id, seq',
    )
    .all(table)
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((columns) => {
    const parent = columns[0]?.parent ?? ''
    const own = columns.filter(({ from }) => from !== 'organization_id')
    return parent === 'organizations' || own.length === 0
      ? []
      : { parent, from: own.map(({ from }) => from), to: own.map(({ to }) => to) }
  })
}
