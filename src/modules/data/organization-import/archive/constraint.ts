import { Database } from 'bun:sqlite'

import type { Ctx } from '../../../../infra/ctx'
import { codeOf } from '../../../../infra/db/errors'
import type { OrganizationTable } from '../../../../infra/organization-tables'
import { changedOnArrival, unvouchedValues } from '../arrivals'
import type { Archive } from './archive'
import { ArchiveFault, invalid, type ArchivePlace } from './fault'
import type { RowToStore } from './row-reader'

/** What the row of an archive did wrong, by the code of SQLite. */
const PROBLEMS: Record<string, string> = {
  SQLITE_CONSTRAINT_FOREIGNKEY:
    'refers to a row that the archive does not have, or to one that does not travel',
  SQLITE_CONSTRAINT_UNIQUE: 'has a value that another row has and that must be unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'is there twice',
  SQLITE_CONSTRAINT_ROWID: 'is there twice',
  SQLITE_CONSTRAINT_CHECK: 'has values that do not go together',
  SQLITE_CONSTRAINT_NOTNULL: 'lacks a required value',
  SQLITE_CONSTRAINT_DATATYPE: 'has a value of another type',
}

/** Returns the fault of the row for an error that the row caused, and other errors unchanged. */
export function refusalOf(error: unknown, place: ArchivePlace): unknown {
  if (error instanceof ArchiveFault) return error
  const problem = PROBLEMS[codeOf(error) ?? '']
  if (problem !== undefined) return invalid(problem, place)
  // The program reads JSON and IDs of a row when it completes it.
  if (error instanceof SyntaxError || error instanceof TypeError)
    return invalid('has a value that cannot be read', place)
  return error
}

/**
 * Stores each row for a moment in an empty copy of its table, in memory, so that an archive that was
 * checked can be stored: values that do not go together are found before anything is written. What
 * rows have to do with each other is checked elsewhere.
 */
export class ConstraintCheck {
  private readonly memory = new Database(':memory:')
  private readonly copies = new Map<string, { unvouched: RowToStore }>()

  constructor(
    private readonly ctx: Pick<Ctx, 'db' | 'clock'>,
    private readonly archive: Archive,
    private readonly travel: { isMove: boolean },
  ) {}

  [Symbol.dispose](): void {
    this.memory.close()
  }

  /** Throws ArchiveFault for a row that its table would not take as it arrives. */
  add(name: string, row: RowToStore, place: ArchivePlace): void {
    const table = this.archive.tables.get(name)
    if (!table) return
    const { files } = this.archive
    const arriving = { nowMs: this.ctx.clock.nowMs(), files, ...this.travel }
    try {
      const changed = changedOnArrival(name, row, arriving)
      if (changed === null) return
      const arrived = { ...changed, ...this.copyOf(table).unvouched }
      const storedAs = arrived['stored_as']
      if (typeof storedAs === 'string' && !files.has(storedAs)) arrived['stored_as'] = null
      const columns = Object.keys(arrived)
      this.memory
        .query(
          `insert into "${name}" (${columns.map((column) => `"${column}"`).join(', ')})
           values (${columns.map(() => '?').join(', ')})`,
        )
        .run(...Object.values(arrived))
    } catch (error) {
      throw refusalOf(error, place)
    }
    this.memory.query(`delete from "${name}"`).run()
  }

  private copyOf(table: OrganizationTable): { unvouched: RowToStore } {
    const known = this.copies.get(table.name)
    if (known) return known
    const { sql } = this.ctx.db.sqlite
      .query<{ sql: string }, [string]>(
        "select sql from sqlite_schema where type = 'table' and name = ?",
      )
      .get(table.name) ?? { sql: '' }
    this.memory.run(sql)
    const copy = { unvouched: unvouchedValues(table, this.travel) }
    this.copies.set(table.name, copy)
    return copy
  }
}
