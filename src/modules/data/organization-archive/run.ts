import { rm } from 'node:fs/promises'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import type { Ctx, JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { StagedFile } from '../../../infra/files/staged-file'
import type { Outcome } from '../../../infra/jobs/work'
import { findActiveMember } from '../../organization/memberships/find'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import { newestErasure } from '../privacy/requests'
import type { ArchiveEncryption } from './archive-format'
import { openArchiveKey } from './keys'
import { ARCHIVES, type ArchiveCounts, type ArchiveRow } from './model'
import { changeArchiveIn, findArchive } from './state'
import type { ArchiveFacts } from './write/order'
import type { ArchiveWish } from './write/writer'
import { noticeText } from '../../organization/notifications/catalog'

/** An archive can be downloaded for this long. */
const KEPT_MS = 7 * DAY_MS

/** When to try again after a problem: a full disk or a busy server. */
const RETRY_MS = 10 * MINUTE_MS

const INTERNAL =
  'The archive failed because of an internal error. Start a new one. If it fails again, ask the ' +
  'operator to look for the failed job in the server log.'

/**
 * Writes the archive of an organization and notifies the requester. After an interruption it starts
 * over with a new file, and so it does if a person was erased meanwhile, whom it may contain.
 */
export async function runArchive(ctx: JobCtx, archiveId: string): Promise<Outcome> {
  if (ctx.archives.isBusy) return { snoozeMs: SECOND_MS }
  const erasure = newestErasure(ctx)
  const row = transact(ctx.db, (tx) => beginIn(tx, ctx, archiveId))
  if (row === null) return undefined
  await ctx.files.clearStaged(ctx.files.openedAtMs) // a killed process may have left gigabytes
  const target = await ctx.files.stagingPath()
  try {
    const written = await ctx.archives.write(wishOf(ctx, row, target), ctx.signal)
    if ('problem' in written) return postpone(ctx, row, written.problem)
    if (newestErasure(ctx) !== erasure) return { snoozeMs: SECOND_MS }
    const storedAs = await keep(ctx, target, written.sizeBytes)
    const isComplete = transact(ctx.db, (tx) => {
      if (newestErasure(ctx) !== erasure) return false
      completeIn(tx, ctx, row, { storedAs, written })
      return true
    })
    if (isComplete) return undefined
    await ctx.files.remove(storedAs)
    return { snoozeMs: SECOND_MS }
  } finally {
    await rm(target, { force: true })
  }
}

/** Starts a run; `null` if the archive has ended. Runs inside the caller's transaction. */
function beginIn(tx: Tx, ctx: Ctx, archiveId: string): ArchiveRow | null {
  const row = findArchive(ctx, archiveId)
  return row?.status === 'queued' || row?.status === 'running'
    ? changeArchiveIn(tx, ctx, archiveId, { status: 'running', startedAtMs: ctx.clock.nowMs() })
    : null
}

function wishOf(ctx: Ctx, row: ArchiveRow, target: string): ArchiveWish {
  const { keySealed, encryption } = row
  return {
    target,
    filesFolder: ctx.files.folder,
    organizationId: ctx.organizationId,
    nowMs: ctx.clock.nowMs(),
    productVersion: ctx.version,
    tables: ctx.tables,
    key:
      keySealed === null || encryption === null
        ? null
        : {
            encryption: JSON.parse(encryption) as ArchiveEncryption,
            key: openArchiveKey(ctx, { ...row, keySealed }),
          },
    hasFiles: row.hasFiles,
    credentials: row.credentials,
    isMove: false,
  }
}

const keep = (ctx: Ctx, path: string, sizeBytes: number): Promise<string> =>
  ctx.files.keep(new StagedFile(path, { filename: null, mimeType: null, sizeBytes, sha256: '' }))

function postpone(ctx: JobCtx, row: ArchiveRow, problem: string): Outcome {
  if (ctx.isLastAttempt) {
    transact(ctx.db, (tx) => failIn(tx, ctx, row.id, problem))
    return { giveUp: problem }
  }
  transact(ctx.db, (tx) => void changeArchiveIn(tx, ctx, row.id, { status: 'queued' }))
  return { retryInMs: RETRY_MS, reason: problem }
}

function completeIn(
  tx: Tx,
  ctx: Ctx,
  row: ArchiveRow,
  { storedAs, written }: { storedAs: string; written: ArchiveFacts },
): void {
  const finishedAtMs = ctx.clock.nowMs()
  const { sizeBytes, manifest } = written
  changeArchiveIn(tx, ctx, row.id, {
    ...{ status: 'completed', storedAs, bytes: sizeBytes, keySealed: null },
    counts: JSON.stringify(countsOf(manifest)),
    ...{ finishedAtMs, expiresAtMs: finishedAtMs + KEPT_MS },
  })
  const { rows } = countsOf(manifest)
  advanceWorkIn(tx, ctx, row.id, { state: 'completed', done: rows, total: rows })
  notifyRequesterIn(tx, ctx, row, {
    severity: 'info',
    title: 'The archive of the organization is ready',
    text: noticeText('archive_ready'),
    body: 'It can be downloaded for seven days.',
  })
}

function countsOf({ parts, files, secrets_left: left }: ArchiveFacts['manifest']): ArchiveCounts {
  return {
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    files: files.files,
    missing_files: files.missing,
    secrets_left: left.reduce((sum, { rows }) => sum + rows, 0),
  }
}

/** Marks an archive as failed because of an internal error, unless it says why it failed. */
export function discardArchiveIn(tx: Tx, ctx: Ctx, archiveId: string): void {
  const status = findArchive(ctx, archiveId)?.status
  if (status === 'queued' || status === 'running') failIn(tx, ctx, archiveId, INTERNAL)
}

function failIn(tx: Tx, ctx: Ctx, archiveId: string, error: string): void {
  const row = changeArchiveIn(tx, ctx, archiveId, {
    ...{ status: 'failed', error, keySealed: null },
    finishedAtMs: ctx.clock.nowMs(),
  })
  advanceWorkIn(tx, ctx, archiveId, { state: 'failed' })
  notifyRequesterIn(tx, ctx, row, {
    severity: 'warning',
    title: 'The archive of the organization failed',
    text: noticeText('archive_failed', { message: error }),
    body: error,
  })
}

function notifyRequesterIn(
  tx: Tx,
  ctx: Ctx,
  { createdBy }: ArchiveRow,
  note: Pick<NewNotification, 'severity' | 'title' | 'body' | 'text'>,
): void {
  if (createdBy === null || !findActiveMember(ctx, createdBy)) return
  notifyIn(tx, ctx, { userId: createdBy, kind: 'export_done', ...note, link: ARCHIVES })
}
