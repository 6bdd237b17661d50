import { eq } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { systemCtx, type Ctx, type JobCtx } from '../../infra/ctx'
import { deleteRowsIn, hasRows, mergeIndexIn } from '../../infra/erase-organization-rows'
import { transact, type Tx } from '../../infra/db/transact'
import { uuidToBytes } from '../../infra/db/uuid'
import { yieldToEventLoop } from '../../infra/event-loop'
import { isWorking } from '../../infra/jobs/live-jobs'
import type { Outcome } from '../../infra/jobs/work'
import {
  fullTextIndexes,
  organizationTables,
  type OrganizationTable,
} from '../../infra/organization-tables'
import { eraseChunksIn } from '../ai/chunks/store'
import { eraseAuditIn } from '../audit/prune'
import { deleteResetLinksOfIn } from '../auth/password-reset/links'
import { eraseJournalIn } from '../inbound/journal/erase-organization'
import { deletePendingFiles } from '../media/delete-files'
import { eraseMembersIn } from '../members/erase-orphans'
import { findOrganization } from '../organizations/service'
import { leaveHomeIn } from '../users/service'
import { erasedOrganizations } from './table'

/** Rows deleted in one transaction that call verbs of their modules. */
const BATCH = 50

/** How long one run works before it gives its slot to others, milliseconds. */
const RUN_MS = MINUTE_MS

/** How long the rows of one transaction should take, milliseconds. */
const SLICE_MS = 5

/** Rows of the first and of the largest transaction. */
const FIRST_ROWS = 8
const MOST_ROWS = 1_000

/** Rows read at a time to delete their files. */
const FILES_PAGE = 500

/**
 * Erases an organization in small transactions, and yields to the event loop in between. Nobody can
 * see it any more, so the order of its parts does not matter to anybody; if the process ends, the
 * next run continues with the rows that are left.
 */
export async function eraseOrganization(
  ctx: JobCtx,
  { organizationId, recordId }: { organizationId: string; recordId: string },
): Promise<Outcome> {
  const there = systemCtx(ctx, organizationId)
  if (findOrganization(ctx, organizationId)?.state === 'erasing') {
    // A running job may still write a row or a file.
    if (isWorking(there)) return { snoozeMs: SECOND_MS }
    const isDone = await new Erasure(there, ctx.signal).run()
    if (!isDone) return { snoozeMs: 1 }
  }
  return (await clean(ctx, recordId)) ? undefined : { snoozeMs: SECOND_MS }
}

/** Removes what deleted rows leave in full-text indexes and in the write-ahead log. */
async function clean(ctx: JobCtx, recordId: string): Promise<boolean> {
  for (const index of fullTextIndexes(ctx.db.sqlite, ctx.tables))
    for (let step = 0; transact(ctx.db, (tx) => mergeIndexIn(tx, index, step === 0)); step += 1) {
      ctx.signal.throwIfAborted()
      await yieldToEventLoop()
    }
  if (!(await ctx.db.checkpoints.empty())) return false
  transact(ctx.db, (tx) => {
    tx.update(erasedOrganizations)
      .set({ erasedAtMs: ctx.clock.nowMs() })
      .where(eq(erasedOrganizations.id, recordId))
      .run()
  })
  return true
}

/** One run of the erasure of an organization. */
class Erasure {
  private readonly startedMs = performance.now()
  private readonly organization: Uint8Array
  /** Tables in the order of deletion: those that refer to others come first. */
  private readonly tables: OrganizationTable[]
  private rows = FIRST_ROWS

  constructor(
    private readonly ctx: Ctx,
    private readonly signal: AbortSignal,
  ) {
    this.organization = uuidToBytes(ctx.organizationId)
    this.tables = organizationTables(ctx.db.sqlite, ctx.tables)
      .filter(({ fate, name }) => fate.deletedWith === null && name !== 'organizations')
      .toReversed()
  }

  /** Returns whether everything is deleted. */
  async run(): Promise<boolean> {
    const { ctx } = this
    await deletePendingFiles(ctx)
    for (const step of [eraseJournalIn, eraseAuditIn, eraseChunksIn])
      if (!(await this.repeat((tx) => step(tx, ctx, BATCH)))) return false
    for (const table of this.tables) if (!(await this.empty(table))) return false
    return transact(ctx.db, (tx) => this.endIn(tx))
  }

  private async empty(table: OrganizationTable): Promise<boolean> {
    // Rows of another table, with other triggers, may take much longer.
    this.rows = FIRST_ROWS
    if (table.fate.hasFiles) await this.deleteFiles(table)
    if (table.name === 'memberships')
      if (!(await this.repeat((tx) => eraseMembersIn(tx, this.ctx, BATCH)))) return false
    return this.repeat((tx) => {
      const { organization, rows: limit } = this
      return deleteRowsIn(tx, table, { organization, limit }) === limit
    })
  }

  /** Adjusts the number of rows to the time that the last transaction took with its commit. */
  private sizeNext(tookMs: number): void {
    if (tookMs < SLICE_MS / 2) this.rows = Math.min(MOST_ROWS, this.rows * 2)
    if (tookMs > SLICE_MS) this.rows = Math.max(1, this.rows >> 1)
  }

  /** Repeats a step, each in a transaction of its own. Returns whether it ended in time. */
  private async repeat(step: (tx: Tx) => boolean): Promise<boolean> {
    // The last transaction of the erasure is flushed, and the ones before it with it.
    for (;;) {
      const startedMs = performance.now()
      const isMore = transact(this.ctx.db, step, { isFlushed: false, wakes: false })
      this.sizeNext(performance.now() - startedMs)
      if (!isMore) return true
      this.signal.throwIfAborted()
      await yieldToEventLoop()
      if (performance.now() - this.startedMs > RUN_MS) return false
    }
  }

  /** Deletes the files of all rows of a table, which are read a page at a time. */
  private async deleteFiles({ name, owner, key }: OrganizationTable): Promise<void> {
    const id = key.at(-1)
    const page = this.ctx.db.sqlite.query<
      { id: Uint8Array; storedAs: string | null },
      [Uint8Array, Uint8Array, number]
    >(
      `select "${id}" as id, stored_as as storedAs from "${name}"
         where "${owner}" = ?1 and "${id}" > ?2 order by "${id}" limit ?3`,
    )
    let rows = page.all(this.organization, new Uint8Array(0), FILES_PAGE)
    while (rows.length > 0) {
      for (const { storedAs } of rows) {
        this.signal.throwIfAborted()
        if (storedAs !== null) await this.ctx.files.remove(storedAs)
      }
      rows = page.all(this.organization, rows.at(-1)?.id ?? new Uint8Array(0), FILES_PAGE)
    }
  }

  /** Deletes the organization itself. Returns `false` if a table got new rows meanwhile. */
  private endIn(tx: Tx): boolean {
    const { ctx, organization } = this
    if (this.tables.some((table) => hasRows(ctx.db.sqlite, table, organization))) return false
    leaveHomeIn(tx, ctx.organizationId)
    deleteResetLinksOfIn(tx, ctx.organizationId)
    const [root] = organizationTables(ctx.db.sqlite, ctx.tables).filter(
      ({ name }) => name === 'organizations',
    )
    if (root) deleteRowsIn(tx, root, { organization, limit: 1 })
    return true
  }
}
