import { DAY_MS, SECOND_MS } from '../../../lib/clock'
import { ForbiddenError } from '../../../lib/errors'
import type { Ctx, JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { partsOf } from '../../../infra/read/parts'
import type { Outcome } from '../../../infra/jobs/work'
import { recordAudit } from '../../organization/audit/record'
import { delegatedCtx, type RequestedBy } from '../../organization/auth/delegated-ctx'
import { newestErasure } from '../privacy/requests'
import { masksNumbers, seesAll } from '../../inbox/contacts/sight/visibility'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import type { ExportPart } from './read-rows'
import { ReadNextLines } from './readers'
import { changeExportIn, findExport, permissionsFor } from './state'
import { optionsAfter, type ExportRow } from './view'
import { findActiveMember } from '../../organization/memberships/find'
import { noticeText } from '../../organization/notifications/catalog'

/**
 * A file written during an erasure may contain the person. It is written again after this delay,
 * milliseconds.
 */
const ANEW_MS = SECOND_MS

/** A file can be downloaded for this long. */
const KEPT_MS = 7 * DAY_MS

/** The visibility a file was written with: the widest of its batches. */
interface Written {
  rows: number
  isUnmasked: boolean
  isOfAll: boolean
}

/**
 * Writes an export to its file in batches, each with the requester's current permissions, and
 * notifies the requester. After an interruption it starts over with a new file. Fails if the
 * requester lost a permission.
 */
export async function writeExport(ctx: JobCtx, exportId: string): Promise<Outcome> {
  const row = transact(ctx.db, (tx) => beginIn(tx, ctx, exportId))
  if (row === null) return undefined
  const written: Written = { rows: 0, isUnmasked: false, isOfAll: false }
  const erasure = newestErasure(ctx)
  try {
    const staged = await ctx.files.stage(piecesOf(ctx, row, written), {
      maxBytes: Number.MAX_SAFE_INTEGER,
    })
    if (newestErasure(ctx) !== erasure) {
      await ctx.files.discard(staged)
      return { snoozeMs: ANEW_MS }
    }
    const storedAs = await ctx.files.keep(staged)
    const isComplete = transact(ctx.db, (tx) => {
      if (newestErasure(ctx) !== erasure) return false
      completeIn(tx, ctx, row, { ...written, storedAs, bytes: staged.facts.sizeBytes })
      return true
    })
    if (isComplete) return undefined
    await ctx.files.remove(storedAs)
    return { snoozeMs: ANEW_MS }
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
    transact(ctx.db, (tx) =>
      failExportIn(tx, ctx, exportId, { code: 'permission_denied', message: error.message }),
    )
  }
  return undefined
}

/** Starts an export; `null` if it has already ended. Runs inside the caller's transaction. */
function beginIn(tx: Tx, ctx: Ctx, exportId: string): ExportRow | null {
  const row = findExport(ctx, exportId)
  return row?.status === 'queued' || row?.status === 'running'
    ? changeExportIn(tx, ctx, exportId, { status: 'running' })
    : null
}

/** Returns the bytes of the file. Throws ForbiddenError if the requester lost a permission. */
async function* piecesOf(
  ctx: JobCtx,
  row: ExportRow,
  written: Written,
): AsyncGenerator<Uint8Array> {
  const asker = JSON.parse(row.actor) as RequestedBy
  const { baseUrl } = ctx.settings
  yield* await partsOf(
    async (last: ExportPart | null) => {
      ctx.signal.throwIfAborted()
      const delegated = delegatedCtx(ctx, asker, permissionsFor(row.source))
      written.isUnmasked ||= !masksNumbers(delegated)
      written.isOfAll ||= seesAll(delegated.actor)
      const part = await ctx.reads.value(ReadNextLines, delegated, {
        ...{ row, baseUrl },
        last: last && { ...last, text: '' },
      })
      written.rows += part.rows
      transact(ctx.db, (tx) => advanceWorkIn(tx, ctx, row.id, { done: written.rows }), {
        isFlushed: false,
      })
      return part
    },
    ({ text }) => Buffer.from(text),
  )
}

function completeIn(
  tx: Tx,
  ctx: Ctx,
  about: ExportRow,
  file: Written & { storedAs: string; bytes: number },
): void {
  const nowMs = ctx.clock.nowMs()
  const { rows, bytes, storedAs, isUnmasked, isOfAll } = file
  const row = changeExportIn(tx, ctx, about.id, {
    ...{
      status: 'completed',
      rows,
      bytes,
      storedAs,
      finishedAtMs: nowMs,
      expiresAtMs: nowMs + KEPT_MS,
    },
    options: JSON.stringify({ ...optionsAfter(about), isUnmasked, isOfAll }),
  })
  advanceWorkIn(tx, ctx, row.id, { state: 'completed', done: rows, total: rows })
  const { userId, apiKeyId } = JSON.parse(row.actor) as RequestedBy
  const person = userId === null ? null : findActiveMember(ctx, userId)
  const type = apiKeyId === null ? ('user' as const) : ('api_key' as const)
  recordAudit(
    tx,
    { ...ctx, actor: { ...ctx.actor, type, userId, apiKeyId, userName: person?.fullName ?? null } },
    {
      action: 'exported',
      resourceType: row.source.replace(/s$/, ''),
      resourceId: row.id,
      resourceName: `${row.source}.${row.format}`,
      changes: [{ field: 'rows', old_value: null, new_value: rows }],
    },
  )
  notifyRequesterIn(tx, ctx, row, {
    title: `Export finished: ${row.source}.${row.format}`,
    text: noticeText('export_finished', { about: `${row.source}.${row.format}`, rows }),
    body: `The file contains ${rows} ${row.source}. It is kept for seven days.`,
  })
}

/** Marks an export as failed. Runs inside the caller's transaction. */
export function failExportIn(
  tx: Tx,
  ctx: Ctx,
  exportId: string,
  error: { code: string; message: string },
): void {
  const failed = findExport(ctx, exportId)
  const row = changeExportIn(tx, ctx, exportId, {
    ...(failed ? { options: JSON.stringify(optionsAfter(failed)) } : {}),
    status: 'failed',
    error: JSON.stringify(error),
    finishedAtMs: ctx.clock.nowMs(),
  })
  advanceWorkIn(tx, ctx, exportId, { state: 'failed' })
  notifyRequesterIn(tx, ctx, row, {
    title: `Export failed: ${row.source}.${row.format}`,
    text: noticeText('export_failed', {
      about: `${row.source}.${row.format}`,
      message: error.message,
    }),
    body: error.message,
  })
}

function notifyRequesterIn(
  tx: Tx,
  ctx: Ctx,
  row: ExportRow,
  note: Pick<NewNotification, 'title' | 'body' | 'text'>,
): void {
  if (row.createdBy === null || !findActiveMember(ctx, row.createdBy)) return
  const severity = row.status === 'failed' ? ('warning' as const) : ('info' as const)
  notifyIn(tx, ctx, {
    userId: row.createdBy,
    kind: 'export_done',
    severity,
    ...note,
    link: `/exports/${row.id}`,
  })
}
