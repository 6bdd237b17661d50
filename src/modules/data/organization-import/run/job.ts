import { eq } from 'drizzle-orm'

import { AppError, InvalidError } from '../../../../lib/errors'
import type { JobCtx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { Archive } from '../archive/archive'
import { ArchiveFault } from '../archive/fault'
import { SecretReader } from '../archive/secrets'
import { isBlocking, judgeArchive } from '../judge'
import { conflictError } from '../conflict-error'
import { fileOf, keyOf } from '../archive-file'
import { findImport } from '../queries'
import { organizationImports } from '../table'
import { cleanUp, endImportIn, shownError } from '../undo'
import type { OrganizationImportRow } from '../view'
import { ImportRun, ImportStopped } from './import'

/** Runs the next part of an import: the check, the rows, or what is left to clean up. */
export async function runImport(ctx: JobCtx, id: string): Promise<Outcome> {
  const row = findImport(ctx, id)
  if (!row) return
  try {
    if (row.finishedAtMs === null) beginRun(ctx, row)
    if (row.state === 'checking') await check(ctx, row)
    const now = findImport(ctx, id)
    if (now?.state === 'running') await store(ctx, now)
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof ImportStopped)) {
      setOpenRuns(ctx, id, 0)
      throw error
    }
    if (error instanceof AppError) {
      ctx.log.warn({ import_id: id, reason: error.message }, 'import of an organization failed')
      transact(ctx.db, (tx) =>
        endImportIn(tx, ctx, id, { state: 'failed', error: shownError(error) }),
      )
    }
  }
  await cleanUp(ctx, id)
}

/** Runs that may end with the process, one after the other, before any of them stored something. */
const MOST_OPEN_RUNS = 5

/**
 * Counts a run until it ends or stores something. Throws InvalidError if the server did not survive
 * the last ones: the archive may take all of its memory.
 */
function beginRun(ctx: JobCtx, { id, openRuns }: OrganizationImportRow): void {
  if (openRuns >= MOST_OPEN_RUNS)
    throw new InvalidError(
      `The server stopped ${MOST_OPEN_RUNS} times while it read this archive. It may take more ` +
        'memory than there is.',
      { code: 'import_interrupted' },
    )
  setOpenRuns(ctx, id, openRuns + 1)
}

const setOpenRuns = (ctx: JobCtx, id: string, openRuns: number): void =>
  transact(ctx.db, (tx) => {
    tx.update(organizationImports).set({ openRuns }).where(eq(organizationImports.id, id)).run()
  })

/** Opens the archive of an import. Throws ArchiveFault if the file is not the one that was checked. */
async function openArchive(ctx: JobCtx, row: OrganizationImportRow): Promise<Archive> {
  const archive = await Archive.open(
    ctx,
    fileOf(ctx, row),
    () => new SecretReader(keyOf(ctx, row)),
    { isMove: row.moveId !== null },
  )
  if (archive.digest === row.digest) return archive
  archive.close()
  throw new ArchiveFault(
    'archive_damaged',
    'The file is not the archive that was checked any more. Import it again.',
  )
}

/** Reads an archive that was too large to be read while its request waited. */
async function check(ctx: JobCtx, row: OrganizationImportRow): Promise<void> {
  const archive = await openArchive(ctx, row)
  try {
    const judgment = await judgeArchive(ctx, archive, {
      signal: ctx.signal,
      isMove: row.moveId !== null,
    })
    const blocking = judgment.conflicts.find(isBlocking)
    if (blocking && !row.isDryRun) throw conflictError(blocking)
    transact(ctx.db, (tx) =>
      tx
        .update(organizationImports)
        .set({
          state: row.isDryRun ? 'checked' : 'running',
          openRuns: 0,
          startedAtMs: row.isDryRun ? null : ctx.clock.nowMs(),
          counts: JSON.stringify(judgment.counts),
          conflicts: JSON.stringify(judgment.conflicts),
        })
        .where(eq(organizationImports.id, row.id))
        .run(),
    )
  } finally {
    archive.close()
  }
}

async function store(ctx: JobCtx, row: OrganizationImportRow): Promise<void> {
  const archive = await openArchive(ctx, row)
  const log = ctx.db.checkpoints.duringBulkWrite()
  try {
    await new ImportRun(ctx, archive, row, log).run()
  } finally {
    log.end()
    archive.close()
  }
}
