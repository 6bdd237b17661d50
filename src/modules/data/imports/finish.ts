import { and, eq, gt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import { recordAudit } from '../../organization/audit/record'
import type { RequestedBy } from '../../organization/auth/delegated-ctx'
import { ContactBatchChanged, ContactsChangedInBulk } from '../../inbox/contacts/events'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { findUser } from '../../organization/users/service'
import { PublishImport } from './jobs'
import { publishWorkIn } from './publish-work'
import { changeImportIn, findImport } from './state'
import { importRows } from './table'
import type { ImportRow } from './view'
import { findActiveMember } from '../../organization/memberships/find'
import { noticeText } from '../../organization/notifications/catalog'

/** The reason an import failed. */
export interface ImportError {
  code: string
  message: string
}

/**
 * Ends an import: publishes one contact change, writes one audit entry and notifies the requester.
 * Runs inside the caller's transaction. Returns the name of the stored rows file if it is no longer
 * needed.
 */
export function endIn(
  tx: Tx,
  ctx: Ctx,
  importId: string,
  status: 'completed' | 'failed' | 'cancelled',
  error?: ImportError,
): string | null {
  const before = findImport(ctx, importId)
  if (!before || before.finishedAtMs !== null) return null
  const keepsRows = before.isDryRun && status === 'completed'
  const row = changeImportIn(tx, ctx, importId, {
    status,
    error: error ? JSON.stringify(error) : null,
    finishedAtMs: ctx.clock.nowMs(),
    ...(keepsRows ? {} : { storedAs: null }),
  })
  publishWorkIn(tx, ctx, row)
  const { created, updated, skipped, failed } = row
  if (!row.isDryRun && row.rowsDone > 0) {
    publishIn(tx, ctx, row, { created, updated, deleted: 0 })
    if (row.target === 'contacts' && created + updated > 0)
      enqueue(tx, ctx, PublishImport, { args: { importId, after: 0 } })
    recordIn(tx, ctx, row, 'imported', { created, updated, skipped, failed })
  }
  if (status !== 'cancelled') notifyRequesterIn(tx, ctx, row, notificationOf(row, error))
  return keepsRows ? null : before.storedAs
}

/** Marks an import as failed. Rows already imported stay. Runs inside the caller's transaction. */
export const failIn = (tx: Tx, ctx: Ctx, importId: string, error: ImportError): string | null =>
  endIn(tx, ctx, importId, 'failed', error)

/** Publishes one event for all changed contacts. Runs inside the caller's transaction. */
export function publishIn(
  tx: Tx,
  ctx: Ctx,
  row: ImportRow,
  counts: { created: number; updated: number; deleted: number },
): void {
  if (row.target !== 'contacts' || counts.created + counts.updated + counts.deleted === 0) return
  emit(tx, ctx, ContactsChangedInBulk, {
    contactId: null,
    payload: { reason: 'import', jobId: row.id, ...counts },
  })
}

/** Rows of an import whose contacts are published in one event. */
const ROWS_PER_EVENT = 500

/**
 * Publishes the contacts of the next rows of an import. Runs inside the caller's transaction. Returns
 * the last of these rows; `null` at the end.
 */
export function publishRowsIn(
  tx: Tx,
  ctx: Ctx,
  { importId, after }: { importId: string; after: number },
): number | null {
  const rows = tx
    .select({ row: importRows.row, outcome: importRows.outcome, id: importRows.targetId })
    .from(importRows)
    .where(
      inOrganization(
        ctx,
        importRows,
        and(eq(importRows.importId, importId), gt(importRows.row, after)),
      ),
    )
    .orderBy(importRows.row)
    .limit(ROWS_PER_EVENT)
    .all()
  const idsOf = (outcome: 'created' | 'updated'): string[] =>
    rows.flatMap((row) => (row.outcome === outcome && row.id !== null ? [row.id] : []))
  const [created, updated] = [idsOf('created'), idsOf('updated')]
  publishBatchIn(tx, ctx, importId, { created, updated, deleted: [] })
  return rows.length === ROWS_PER_EVENT ? (rows.at(-1)?.row ?? null) : null
}

/** Publishes at most 500 contacts of an import. Runs inside the caller's transaction. */
export function publishBatchIn(
  tx: Tx,
  ctx: Ctx,
  importId: string,
  { created, updated, deleted }: Record<'created' | 'updated' | 'deleted', string[]>,
): void {
  const contactIds = [...new Set([...created, ...updated, ...deleted])]
  if (contactIds.length > 0)
    emit(tx, ctx, ContactBatchChanged, {
      contactId: null,
      payload: {
        reason: 'import',
        jobId: importId,
        created: created.length,
        updated: updated.length,
        deleted: deleted.length,
        contactIds,
      },
    })
}

/** Returns the requester of an import. */
const askerOf = (row: ImportRow): RequestedBy => JSON.parse(row.actor) as RequestedBy

/** Writes one audit entry for all rows, with the requester as actor. */
export function recordIn(
  tx: Tx,
  ctx: Ctx,
  row: ImportRow,
  action: 'imported' | 'import_undone',
  counts: Record<string, number>,
): void {
  const { userId, apiKeyId } = askerOf(row)
  const userName = userId === null ? null : (findUser(ctx, userId)?.fullName ?? null)
  const type = apiKeyId === null ? ('user' as const) : ('api_key' as const)
  const actor =
    ctx.actor.type === 'system' ? { ...ctx.actor, type, userId, apiKeyId, userName } : ctx.actor
  recordAudit(
    tx,
    { ...ctx, actor },
    {
      action,
      resourceType:
        row.target === 'contacts' ? 'contact' : row.target === 'tags' ? 'tag' : 'campaign',
      resourceId: row.id,
      resourceName: row.filename,
      changes: Object.entries(counts).map(([field, rows]) => ({
        field,
        old_value: null,
        new_value: rows,
      })),
    },
  )
}

function notificationOf(
  row: ImportRow,
  error: ImportError | undefined,
): Pick<NewNotification, 'title' | 'body' | 'text'> {
  const counts = `${row.created} created, ${row.updated} updated, ${row.skipped} skipped, ${row.failed} failed`
  const result = `${row.isDryRun ? `Dry run of ${row.filename}` : row.filename}: ${counts}.`
  const { created, updated, skipped, failed, filename: about } = row
  const values = { created, updated, skipped, failed, about }
  return error
    ? {
        title: `Import failed: ${row.filename}`,
        text: noticeText('import_failed', { ...values, message: error.message }),
        body: `${result} ${error.message}`,
      }
    : {
        title: `Import finished: ${row.filename}`,
        text: noticeText(row.isDryRun ? 'import_checked' : 'import_finished', values),
        body: result,
      }
}

/** Notifies the requester of the result. Runs inside the caller's transaction. */
export function notifyRequesterIn(
  tx: Tx,
  ctx: Ctx,
  row: ImportRow,
  note: Pick<NewNotification, 'title' | 'body' | 'text'>,
): void {
  const { userId } = askerOf(row)
  if (userId === null || !findActiveMember(ctx, userId)) return
  const severity = row.status === 'failed' ? ('warning' as const) : ('info' as const)
  notifyIn(tx, ctx, {
    userId,
    kind: 'import_done',
    severity,
    ...note,
    link: `/imports/${row.id}`,
  })
}
