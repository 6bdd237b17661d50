import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { recordAudit } from '../audit/record'
import type { RequestedBy } from '../auth/delegated-ctx'
import { ContactsChangedInBulk } from '../contacts/events'
import { notifyIn } from '../notifications/service'
import { findUser } from '../users/service'
import { changeImportIn, findImport } from './state'
import type { ImportRow } from './view'
import { findActiveMember } from '../memberships/find'

/** Why an import failed. */
export interface ImportError {
  code: string
  message: string
}

/**
 * Ends an import, in the caller's transaction: one event tells that contacts have changed, one
 * entry of the audit log what it came to, and whoever asked is told. Returns the name of the file
 * of its rows when it is not needed any more.
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
  const { created, updated, skipped, failed } = row
  if (!row.isDryRun && row.rowsDone > 0) {
    announceIn(tx, ctx, row, { created, updated, deleted: 0 })
    recordIn(tx, ctx, row, 'imported', { created, updated, skipped, failed })
  }
  if (status !== 'cancelled') tellIn(tx, ctx, row, toldOf(row, error))
  return keepsRows ? null : before.storedAs
}

/** Ends an import that cannot go on, in the caller's transaction; what it did until then stays. */
export const failIn = (tx: Tx, ctx: Ctx, importId: string, error: ImportError): string | null =>
  endIn(tx, ctx, importId, 'failed', error)

/** Tells once that many contacts have changed, in the caller's transaction. */
export function announceIn(
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

/** Who asked for an import. */
const askerOf = (row: ImportRow): RequestedBy => JSON.parse(row.actor) as RequestedBy

/** One entry of the audit log for all rows, by whoever asked. */
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

function toldOf(row: ImportRow, error: ImportError | undefined): { title: string; body: string } {
  const counts = `${row.created} created, ${row.updated} updated, ${row.skipped} skipped, ${row.failed} failed`
  const result = `${row.isDryRun ? `Trial of ${row.filename}` : row.filename}: ${counts}.`
  return error
    ? { title: 'Import failed', body: `${result} ${error.message}` }
    : { title: 'Import finished', body: result }
}

/** Tells whoever asked for an import what it came to, in the caller's transaction. */
export function tellIn(
  tx: Tx,
  ctx: Ctx,
  row: ImportRow,
  { title, body }: { title: string; body: string },
): void {
  const { userId } = askerOf(row)
  if (userId === null || !findActiveMember(ctx, userId)) return
  const severity = row.status === 'failed' ? ('warning' as const) : ('info' as const)
  notifyIn(tx, ctx, {
    userId,
    kind: 'import_done',
    severity,
    title,
    body,
    link: `/imports/${row.id}`,
  })
}
