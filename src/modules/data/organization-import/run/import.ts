import { eq } from 'drizzle-orm'

import type { BulkWrite } from '../../../../infra/checkpoints/thread'
import { systemCtx, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { deleteRowsIn } from '../../../../infra/erase-organization-rows'
import { transact, type Tx } from '../../../../infra/db/transact'
import { uuidToBytes } from '../../../../infra/db/uuid'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import type { OrganizationTable } from '../../../../infra/organization-tables'
import { foldRollups } from '../../../insight/analytics/rollups/fold'
import { USERS_PART } from '../../organization-archive/archive-format'
import { partKindOf } from '../../organization-archive/part-kind'
import { restartSomeIn } from '../../../automation/transfers/restart-after-restore'
import { findUser } from '../../../organization/users/service'
import type { Archive, ArchivedRow } from '../archive/archive'
import { readPerson } from '../people'
import { findImport } from '../queries'
import { organizationImports } from '../table'
import type { OrganizationImportRow } from '../view'
import { activate } from './activate'
import { dropScratchIn } from './scratch'
import { arrivingMembership, memberOf } from './memberships'
import { importedPeople, importPersonIn, type ImportedPerson } from './people'
import { setLinksIn, storeNameOf, RowWriter, type ImportScope } from './write-rows'
import { PersonTranslation } from './translate-people'
import { awaitingAccount, awaitingOrganization } from './incomplete-rows'

/** How long the rows of one transaction should take, milliseconds. */
const STEP_MS = 5

/** Most rows of a transaction. */
const ROWS = 100

/** Most characters of rows that wait for a transaction, unless one row has more. */
const CHARACTERS = 1_024 * 1_024

/** Counts deleted in one transaction. */
const COUNTS_AT_ONCE = 200

/** The last step, which makes the organization visible. */
const ACTIVATE = 'activate'

/** The import was cancelled, or waits. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

/** What a transaction has done. */
interface Progress {
  step?: string
  line?: number
  rows?: number
  /** Rows that were stored, by table. Without a line, counting begins. */
  counted?: Record<string, number>
}

/** Adds the rows that were stored to the counts of an import. */
function withCounted(text: string, { line, counted }: Progress): string {
  const counts = JSON.parse(text) as Record<string, number>
  for (const [table, rows] of Object.entries(counted ?? {}))
    counts[table] = line === undefined ? 0 : (counts[table] ?? 0) + rows
  return JSON.stringify(counts)
}

/** A step: its name, and the work after a line of it. */
interface Step {
  name: string
  run: (after: number) => Promise<void>
}

/**
 * Stores the rows and files of an archive in small transactions and yields to the event loop in
 * between. Each transaction records the last line it stored, so an interrupted import continues
 * behind it.
 */
export class ImportRun {
  private readonly ctx: Ctx
  private readonly organization: Uint8Array
  private people: ImportedPerson[] = []
  private step = ''

  constructor(
    private readonly job: JobCtx,
    private readonly archive: Archive,
    private readonly row: OrganizationImportRow,
    private readonly log: BulkWrite,
  ) {
    this.ctx = systemCtx(job, archive.manifest.organization.id)
    this.organization = uuidToBytes(this.ctx.organizationId)
  }

  async run(): Promise<void> {
    const steps = this.steps()
    const names = steps.map(({ name }) => name)
    const from = Math.max(0, names.indexOf(this.row.step))
    this.people = importedPeople(this.ctx, this.row.id)
    for (const [index, { name, run }] of steps.entries()) {
      if (index < from) continue
      this.step = name
      await run(name === this.row.step ? this.row.line : 0)
      const next = steps[index + 1]
      if (next) this.commit(() => undefined, { step: next.name, line: 0 })
    }
  }

  /** Parents come first, then counts, which replace what triggers counted, and numbers last. */
  private steps(): Step[] {
    const tables = [...this.archive.tables.values()].filter(({ name }) => this.archive.has(name))
    const organization = tables.filter(({ name }) => name === 'organizations')
    const carried = tables.filter(
      ({ fate, name }) => fate.kind === 'carried' && name !== 'organizations',
    )
    const sums = tables.filter(({ fate }) => partKindOf(fate) === 'sums')
    const moving = tables.filter(({ fate }) => partKindOf(fate) === 'moving')
    return [
      ...organization.map((table) => this.rowsOf(table)),
      { name: 'people', run: (after) => this.importPeople(after) },
      ...carried.flatMap((table) => [
        this.rowsOf(table),
        ...(table.selfReferences.length > 0 ? [this.linksOf(table)] : []),
        ...(table.name === 'messages' ? [{ name: 'fold', run: () => foldRollups(this.ctx) }] : []),
      ]),
      ...sums.flatMap((table) => [
        ...(table.fate.lasting === 'true' ? [this.clearingOf(table)] : []),
        this.rowsOf(table),
      ]),
      { name: 'files', run: (after) => this.importFiles(after) },
      ...(this.isMove ? [] : [{ name: 'transfers', run: () => this.restartTransfers() }]),
      ...moving.map((table) => this.rowsOf(table)),
      { name: 'scratch', run: () => this.repeat((tx) => dropScratchIn(tx, this.row.id)) },
      ...(this.isMove ? [{ name: 'wait', run: () => this.waitForOrder() }] : []),
      { name: ACTIVATE, run: () => activate(this.job, this.scope(), this.row) },
    ]
  }

  private get isMove(): boolean {
    return this.row.moveId !== null
  }

  private scope(): ImportScope {
    return {
      ctx: this.ctx,
      importId: this.row.id,
      archive: this.archive,
      people: new PersonTranslation(this.people),
      isMove: this.isMove,
    }
  }

  private rowsOf(table: OrganizationTable): Step {
    return {
      name: `rows of ${table.name}`,
      run: async (after) => {
        const writer = new RowWriter(this.scope(), table, this.preparationOf(table))
        if (after === 0 && this.isMove)
          this.commit(() => undefined, { counted: { [table.name]: 0 } })
        await this.inBatches(
          this.archive.rows(table.name, after),
          (tx, row) => writer.writeIn(tx, row),
          table.name,
        )
      },
    }
  }

  /** Rows of some tables are stored differently until the organization is complete. */
  private preparationOf({ name }: OrganizationTable): ConstructorParameters<typeof RowWriter>[2] {
    if (name === 'organizations') return awaitingOrganization(this.ctx)
    if (name === 'accounts') return awaitingAccount(this.ctx)
    if (name !== 'memberships') return undefined
    const people = new Map(this.people.map((person) => [person.archivedId, person]))
    return (row, place) => {
      const person = people.get(memberOf(row))
      const user = person ? findUser(this.ctx, person.userId) : null
      return arrivingMembership(row, { person, user, place })
    }
  }

  private linksOf(table: OrganizationTable): Step {
    return {
      name: `links of ${table.name}`,
      run: () => this.repeat((tx) => setLinksIn(tx, this.scope(), table)),
    }
  }

  private clearingOf(table: OrganizationTable): Step {
    return {
      name: `counts of ${table.name}`,
      run: () =>
        this.repeat((tx) => {
          const limit = COUNTS_AT_ONCE
          return deleteRowsIn(tx, table, { organization: this.organization, limit }) === limit
        }),
    }
  }

  private async importPeople(after: number): Promise<void> {
    const file = this.archive.fileOf(USERS_PART)
    await this.inBatches(this.archive.rows(USERS_PART, after), (tx, { row, line }) => {
      importPersonIn(tx, this.ctx, this.row.id, readPerson(row, { file, line }))
      return true
    })
    this.people = importedPeople(this.ctx, this.row.id)
  }

  /** Copies the files under new names. A copied file is not copied again. */
  private async importFiles(after: number): Promise<void> {
    const { files } = this.ctx
    let line = 0
    for (const name of this.archive.files.names()) {
      line += 1
      if (line <= after) continue
      const target = storeNameOf(this.row.id, name)
      if (!(await files.has(target))) {
        const bytes = this.archive.files.verified(name, this.archive.readFile(name))
        const staged = await files.stage(bytes, { maxBytes: this.archive.files.bytesOf(name) })
        await files.keep(staged, target)
      }
      this.commit(() => undefined, { line })
      await this.pause()
    }
  }

  /**
   * Ends the run of an organization that moves here: the cell that it comes from compares the counts
   * and orders the last step. Throws ImportStopped.
   */
  private async waitForOrder(): Promise<void> {
    await this.pause()
    transact(this.ctx.db, (tx) => {
      if (findImport(this.ctx, this.row.id)?.state !== 'running') throw new ImportStopped()
      tx.update(organizationImports)
        .set({ state: 'waiting', step: ACTIVATE, line: 0 })
        .where(eq(organizationImports.id, this.row.id))
        .run()
    })
    throw new ImportStopped()
  }

  private async restartTransfers(): Promise<void> {
    let after: string | null = ''
    while (after !== null) {
      const from: string = after
      after = this.commit((tx) => restartSomeIn(tx, this.ctx, from))
      await this.pause()
    }
  }

  /**
   * Stores rows in transactions that take a few milliseconds each. `write` returns whether it stored
   * the row. `table` is that of the rows, if they are counted.
   */
  private async inBatches(
    rows: AsyncGenerator<ArchivedRow>,
    write: (tx: Tx, row: ArchivedRow) => boolean,
    table?: string,
  ): Promise<void> {
    let waiting: ArchivedRow[] = []
    const isFull = (): boolean =>
      waiting.length >= ROWS || waiting.reduce((sum, { size }) => sum + size, 0) >= CHARACTERS
    const flush = async (): Promise<void> => {
      const progress: Progress & { rows: number } = { rows: 0 }
      let stored = 0
      this.commit((tx) => {
        const startedMs = performance.now()
        for (const row of waiting) {
          if (write(tx, row)) stored += 1
          if (table !== undefined) progress.counted = { [table]: stored }
          progress.line = row.line
          progress.rows += 1
          if (performance.now() - startedMs >= STEP_MS) return
        }
      }, progress)
      waiting = waiting.slice(progress.rows)
      await this.pause()
    }
    for await (const row of rows) {
      waiting.push(row)
      while (isFull()) await flush()
    }
    while (waiting.length > 0) await flush()
  }

  private async repeat(step: (tx: Tx) => boolean): Promise<void> {
    while (this.commit(step)) await this.pause()
  }

  private async pause(): Promise<void> {
    this.job.signal.throwIfAborted()
    await yieldToEventLoop()
    await this.log.whenShort()
  }

  /**
   * Runs a transaction of the import and records its progress with it. Throws ImportStopped if the
   * import was cancelled. The last transaction of the import is flushed, and these with it.
   */
  private commit<T>(
    work: (tx: Tx) => T extends PromiseLike<unknown> ? never : T,
    progress: Progress = {},
  ): T {
    const { ctx, row } = this
    return transact(
      ctx.db,
      (tx) => {
        const now = findImport(ctx, row.id)
        if (now?.state !== 'running') throw new ImportStopped()
        const result = work(tx)
        const { step = this.step, line, rows = 0, counted } = progress
        tx.update(organizationImports)
          .set({
            ...{ step, rowsDone: now.rowsDone + rows, openRuns: 0 },
            ...(line === undefined ? {} : { line }),
            ...(counted && this.isMove ? { counts: withCounted(now.counts, progress) } : {}),
          })
          .where(eq(organizationImports.id, row.id))
          .run()
        return result
      },
      { isFlushed: false, wakes: false },
    )
  }
}
