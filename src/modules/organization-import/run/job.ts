import { eq } from 'drizzle-orm'

import { AppError } from '../../../lib/errors'
import type { JobCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { Archive } from '../archive/archive'
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
    if (row.state === 'checking') await check(ctx, row)
    const now = findImport(ctx, id)
    if (now?.state === 'running') await store(ctx, now)
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof ImportStopped)) throw error
    if (error instanceof AppError) {
      ctx.log.warn({ import_id: id, reason: error.message }, 'import of an organization failed')
      transact(ctx.db, (tx) =>
        endImportIn(tx, ctx, id, { state: 'failed', error: shownError(error) }),
      )
    }
  }
  await cleanUp(ctx, id)
}

const openArchive = (ctx: JobCtx, row: OrganizationImportRow): Promise<Archive> =>
  Archive.open(ctx, fileOf(ctx, row), () => new SecretReader(keyOf(ctx, row)), {
    isMove: row.moveId !== null,
  })

/** Reads an archive that was too large to be read while its request waited. */
async function check(ctx: JobCtx, row: OrganizationImportRow): Promise<void> {
  const archive = await openArchive(ctx, row)
  try {
    const judgment = await judgeArchive(ctx, archive, ctx.signal)
    const blocking = judgment.conflicts.find(isBlocking)
    if (blocking && !row.isDryRun) throw conflictError(blocking)
    transact(ctx.db, (tx) =>
      tx
        .update(organizationImports)
        .set({
          state: row.isDryRun ? 'checked' : 'running',
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
