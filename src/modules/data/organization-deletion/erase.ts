import { eq, sql } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { systemCtx, type Ctx, type JobCtx } from '../../../infra/ctx'
import { yieldToEventLoop } from '../../../infra/event-loop'
import type { BulkWrite } from '../../../infra/checkpoints/thread'
import { transact, type Tx } from '../../../infra/db/transact'
import { uuidToBytes } from '../../../infra/db/uuid'
import {
  deleteRowsIn,
  hasRows,
  leavingWordsIn,
  tidyIndexes,
} from '../../../infra/erase-organization-rows'
import { isWorking } from '../../../infra/jobs/live-jobs'
import type { Outcome } from '../../../infra/jobs/work'
import {
  fullTextIndexes,
  organizationTables,
  type OrganizationTable,
} from '../../../infra/organization-tables'
import { runHooks } from '../../../infra/transaction-hooks'
import { eraseChunksIn } from '../../automation/ai/chunks/store'
import { eraseAuditIn } from '../../organization/audit/prune'
import { deleteResetLinksOfIn } from '../../organization/auth/password-reset/links'
import { eraseJournalIn } from '../../channel/inbound/journal/erase-organization'
import { deletePendingFiles } from '../../channel/media/delete-files'
import { eraseMembersIn } from '../../organization/members/erase-orphans'
import { findOrganization } from '../../organization/organizations/service'
import { leaveHomeIn } from '../../organization/users/service'
import { OrganizationErased } from './events'
import { IndexMerger, mergeIndex } from './merge-indexes'
import { erasedOrganizations } from './table'

/** How long one run works before it gives its slot to others, milliseconds. */
const RUN_MS = MINUTE_MS

/**
 * Rows of a transaction, and of one that calls verbs of their modules or follows files: a few
 * milliseconds each.
 */
const MANY_ROWS = 100
const FEW_ROWS = 20

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
    const log = ctx.db.checkpoints.duringBulkWrite()
    const erasure = new Erasure(there, ctx.signal, log, recordId)
    const isDone = await erasure.run().finally(() => log.end())
    if (!isDone) return { snoozeMs: 1 }
  }
  return (await clean(ctx, recordId)) ? undefined : { snoozeMs: SECOND_MS }
}

/** Removes what deleted rows leave in full-text indexes and in the write-ahead log. */
async function clean(ctx: JobCtx, recordId: string): Promise<boolean> {
  const log = ctx.db.checkpoints.duringBulkWrite()
  try {
    for (const index of fullTextIndexes(ctx.db.sqlite, ctx.tables))
      await mergeIndex(ctx, index, { signal: ctx.signal, log })
  } finally {
    log.end()
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
  private readonly indexes: string[]
  private readonly merger: IndexMerger

  constructor(
    private readonly ctx: Ctx,
    private readonly signal: AbortSignal,
    private readonly log: BulkWrite,
    private readonly recordId: string,
  ) {
    const { sqlite } = ctx.db
    this.organization = uuidToBytes(ctx.organizationId)
    this.tables = organizationTables(sqlite, ctx.tables)
      .filter(({ fate, name }) => fate.deletedWith === null && name !== 'organizations')
      .toReversed()
    this.indexes = tidyIndexes(sqlite, fullTextIndexes(sqlite, ctx.tables))
    this.merger = new IndexMerger(ctx, { signal, log }, this.indexes)
  }

  /** Returns whether everything is deleted. */
  async run(): Promise<boolean> {
    const { ctx } = this
    await deletePendingFiles(ctx)
    if (await this.emptyAll()) return transact(ctx.db, (tx) => this.endIn(tx))
    await this.merger.end()
    return false
  }

  private async emptyAll(): Promise<boolean> {
    const { ctx } = this
    for (const [table, step] of [
      ['inbound_events', eraseJournalIn],
      ['audit_logs', eraseAuditIn],
      ['ai_chunks', eraseChunksIn],
    ] as const)
      if (!(await this.repeat(table, FEW_ROWS, (tx, limit) => step(tx, ctx, limit)))) return false
    for (const table of this.tables) if (!(await this.empty(table))) return false
    return true
  }

  private eraseMembersIn(tx: Tx, limit: number): boolean {
    const { isMore, mentions } = eraseMembersIn(tx, this.ctx, limit)
    tx.update(erasedOrganizations)
      .set({ mentions: sql`${erasedOrganizations.mentions} + ${mentions}` })
      .where(eq(erasedOrganizations.id, this.recordId))
      .run()
    return isMore
  }

  private async empty(table: OrganizationTable): Promise<boolean> {
    const { organization } = this
    const { name } = table
    if (name === 'memberships')
      if (!(await this.repeat(name, FEW_ROWS, (tx, limit) => this.eraseMembersIn(tx, limit))))
        return false
    const deleteIn = (tx: Tx, limit: number): boolean =>
      deleteRowsIn(tx, table, { organization, limit }) === limit
    return table.fate.hasFiles
      ? this.repeat(name, FEW_ROWS, deleteIn, () => this.deleteFiles(table))
      : this.repeat(name, MANY_ROWS, deleteIn)
  }

  /**
   * Repeats a step that deletes `limit` rows of a table, each time in a transaction of its own. Returns whether it ended in time.
   */
  private async repeat(
    table: string,
    limit: number,
    step: (tx: Tx, limit: number) => boolean,
    prepare: () => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    const { ctx, indexes } = this
    for (;;) {
      await prepare()
      // The last transaction of the erasure is flushed, and the ones before it with it.
      const isMore = transact(ctx.db, (tx) => leavingWordsIn(tx, indexes, () => step(tx, limit)), {
        isFlushed: false,
        wakes: false,
      })
      if (!isMore) return true
      this.signal.throwIfAborted()
      await yieldToEventLoop()
      await this.log.whenShort()
      await this.merger.afterDeletion(table, limit)
      if (performance.now() - this.startedMs > RUN_MS) return false
    }
  }

  /** Deletes the files of the next rows of a table. */
  private async deleteFiles({ name, owner, key }: OrganizationTable): Promise<void> {
    const next = this.ctx.db.sqlite
      .query<{ storedAs: string | null }, [Uint8Array]>(
        `select stored_as as storedAs from "${name}" where "${owner}" = ?1
         order by "${key.at(-1)}" limit ${FEW_ROWS}`,
      )
      .all(this.organization)
    for (const { storedAs } of next) {
      this.signal.throwIfAborted()
      if (storedAs !== null) await this.ctx.files.remove(storedAs)
    }
  }

  /** Deletes the organization itself. Returns `false` if a table got new rows meanwhile. */
  private endIn(tx: Tx): boolean {
    const { ctx, organization } = this
    if (this.tables.some((table) => hasRows(ctx.db.sqlite, table, organization))) return false
    leaveHomeIn(tx, ctx.organizationId)
    deleteResetLinksOfIn(tx, ctx.organizationId)
    runHooks(tx, ctx, OrganizationErased, {})
    const [root] = organizationTables(ctx.db.sqlite, ctx.tables).filter(
      ({ name }) => name === 'organizations',
    )
    if (root) deleteRowsIn(tx, root, { organization, limit: 1 })
    return true
  }
}
