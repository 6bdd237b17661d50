import { and, eq } from 'drizzle-orm'
import type { SQLQueryBindings } from 'bun:sqlite'

import { sha256Hex } from '../../../../lib/hash'
import type { Arrival } from '../../../../infra/arrival'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { OrganizationTable } from '../../../../infra/organization-tables'
import { nextRow } from '../../../organization/audit/search-index'
import { storedSecretContext } from '../../organization-archive/archive-secrets'
import type { Archive, ArchivedRow } from '../archive/archive'
import { refusalOf } from '../archive/constraint'
import { invalid, type ArchivePlace } from '../archive/fault'
import { isNumbered, ROW_NUMBER, type RowToStore } from '../archive/row-reader'
import { ARRIVALS, changedOnArrival, unvouchedValues } from '../arrivals'
import { organizationImportLinks, organizationImportNumbers } from '../table'
import type { PersonTranslation } from './translate-people'

/** Returns the name that a file of an archive gets in the store: always the same one. */
export function storeNameOf(importId: string, archivedName: string): string {
  const digest = sha256Hex(`organization import ${importId} ${archivedName}`)
  return `${digest.slice(0, 2)}/${digest.slice(2, 32)}`
}

const FILE_NAME = /\b[0-9a-f]{2}\/[0-9a-f]{30}\b/g

/** What all tables of an import share. */
export interface ImportScope {
  ctx: Ctx
  importId: string
  archive: Archive
  people: PersonTranslation
  /** Whether the organization moves here from another cell. */
  isMove: boolean
}

/** Stores the rows of one table. */
export class RowWriter {
  private readonly file: string
  private readonly arrival: Arrival
  private readonly unvouched: RowToStore
  /** Compiled inserts by their columns. All rows of a part have the same, except left-out ones. */
  private readonly inserts = new Map<string, string>()

  constructor(
    private readonly scope: ImportScope,
    private readonly table: OrganizationTable,
    /** The row as it is stored until the organization is complete. */
    private readonly prepare: (row: RowToStore, place: ArchivePlace) => RowToStore = (row) => row,
  ) {
    this.file = scope.archive.fileOf(table.name)
    this.arrival = ARRIVALS[table.name] ?? {}
    this.unvouched = unvouchedValues(table, scope)
  }

  /**
   * Stores a row in the caller's transaction. Returns `false` if it stays behind. Throws
   * ArchiveFault.
   */
  writeIn(tx: Tx, { row, line }: ArchivedRow): boolean {
    const { ctx, archive, isMove } = this.scope
    const place = { file: this.file, line }
    const former = Number(row[ROW_NUMBER] ?? 0)
    try {
      const arriving = { nowMs: ctx.clock.nowMs(), files: archive.files, isMove }
      const arrived = changedOnArrival(this.table.name, row, arriving)
      if (arrived === null) return false
      const stored = this.storedOf(this.prepare(arrived, place))
      if (isNumbered(this.table)) this.number(stored)
      this.translateNumberIn(tx, stored, line)
      this.deferLinksIn(tx, stored, line)
      this.insert(stored)
      if (this.table.name === 'contacts') this.rememberNumberIn(tx, former, stored)
      this.arrival.followIn?.(tx, ctx, stored, this.scope)
      return true
    } catch (error) {
      throw refusalOf(error, place)
    }
  }

  /**
   * Returns a row with the names of files, people and secrets of this installation, and without what
   * no archive can vouch for.
   */
  storedOf(row: RowToStore): RowToStore {
    return this.sealed(this.scope.people.translate(this.named({ ...row, ...this.unvouched })))
  }

  /** Replaces the name of a file by that in the store. */
  private named(row: RowToStore): RowToStore {
    const { stored_as: storedAs, args } = row
    if (this.table.name === 'jobs') return { ...row, args: this.withFileNames(String(args)) }
    if (typeof storedAs !== 'string') return row
    return {
      ...row,
      stored_as: this.scope.archive.files.has(storedAs)
        ? storeNameOf(this.scope.importId, storedAs)
        : null,
    }
  }

  /** Replaces the names of files in the arguments of a job. */
  private withFileNames(args: string): string {
    const { archive, importId } = this.scope
    return args.replaceAll(FILE_NAME, (name) =>
      archive.files.has(name) ? storeNameOf(importId, name) : name,
    )
  }

  /** Encrypts the secrets of a row with the key of this installation. */
  private sealed(row: RowToStore): RowToStore {
    const { ctx } = this.scope
    const sealed = { ...row }
    for (const [column, place] of Object.entries(this.table.fate.secrets)) {
      const plain = row[column]
      if (typeof plain !== 'string') continue
      const context = storedSecretContext(place, (name) =>
        name === 'organization_id' ? ctx.organizationId : idOf(row[name]),
      )
      sealed[column] = ctx.vault.seal(plain, context)
    }
    return sealed
  }

  private number(row: RowToStore): void {
    if (this.table.name === 'audit_logs') row[ROW_NUMBER] = nextRow(this.scope.ctx)
    else delete row[ROW_NUMBER]
  }

  /** Counts of a contact name its row by the number. */
  private translateNumberIn(tx: Tx, row: RowToStore, line: number): void {
    if (this.table.name !== 'contact_rollups') return
    const known = tx
      .select({ number: organizationImportNumbers.number })
      .from(organizationImportNumbers)
      .where(
        and(
          eq(organizationImportNumbers.importId, this.scope.importId),
          eq(organizationImportNumbers.former, Number(row['contact'])),
        ),
      )
      .get()
    if (!known) throw invalid('`contact` is no row of `contacts`', { file: this.file, line })
    row['contact'] = known.number
  }

  private rememberNumberIn(tx: Tx, former: number, row: RowToStore): void {
    tx.insert(organizationImportNumbers)
      .values({ importId: this.scope.importId, former, number: Number(row[ROW_NUMBER]) })
      .run()
  }

  /** Leaves out references to later rows of the table, which are set when all are stored. */
  private deferLinksIn(tx: Tx, row: RowToStore, line: number): void {
    const { name, owner, selfReferences } = this.table
    for (const { from, to } of selfReferences) {
      const target = row[from]
      if (!(target instanceof Uint8Array)) continue
      const known = tx.scope.sqlite
        .query(`select 1 from "${name}" where "${owner}" = ?1 and "${to}" = ?2`)
        .get(row[owner] as Uint8Array, target)
      if (known !== null) continue
      tx.insert(organizationImportLinks)
        .values({
          importId: this.scope.importId,
          ...{ line, column: from },
          rowId: idOf(row['id']),
          targetId: bytesToUuid(target),
        })
        .run()
      row[from] = null
    }
  }

  private insert(row: RowToStore): void {
    const columns = Object.keys(row)
    const key = columns.join(' ')
    const sql =
      this.inserts.get(key) ??
      `insert into "${this.table.name}" (${columns.map((column) => `"${column}"`).join(', ')})
       values (${columns.map(() => '?').join(', ')})`
    this.inserts.set(key, sql)
    const { sqlite } = this.scope.ctx.db
    const { lastInsertRowid, changes } = sqlite
      .query(sql)
      .run(...(Object.values(row) as SQLQueryBindings[]))
    if (changes === 0) throw new Error(`a row of ${this.table.name} was not stored`)
    if (isNumbered(this.table)) row[ROW_NUMBER] ??= Number(lastInsertRowid)
  }
}

const idOf = (value: RowToStore[string] | undefined): string =>
  value instanceof Uint8Array ? bytesToUuid(value) : String(value)

/** Sets some of the references that were left out, in the caller's transaction. */
export function setLinksIn(tx: Tx, scope: ImportScope, table: OrganizationTable): boolean {
  const { importId, ctx, archive } = scope
  const some = tx
    .select()
    .from(organizationImportLinks)
    .where(eq(organizationImportLinks.importId, importId))
    .limit(LINKS_AT_ONCE)
    .all()
  for (const { line, column, rowId, targetId } of some) {
    try {
      ctx.db.sqlite
        .query(
          `update "${table.name}" set "${column}" = ?1 where "${table.owner}" = ?2 and id = ?3`,
        )
        .run(uuidToBytes(targetId), uuidToBytes(ctx.organizationId), uuidToBytes(rowId))
    } catch (error) {
      throw refusalOf(error, { file: archive.fileOf(table.name), line })
    }
    tx.delete(organizationImportLinks)
      .where(
        and(
          eq(organizationImportLinks.importId, importId),
          eq(organizationImportLinks.line, line),
          eq(organizationImportLinks.column, column),
        ),
      )
      .run()
  }
  return some.length === LINKS_AT_ONCE
}

/** References set in one transaction. */
const LINKS_AT_ONCE = 50
