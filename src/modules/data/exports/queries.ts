import { desc } from 'drizzle-orm'

import { AppError, ConflictError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { readNumbered } from '../../../infra/offset-pagination'
import { requirePermissions } from '../../../infra/require-permissions'
import { masksNumbers, ownWork } from '../../inbox/contacts/sight/visibility'
import type { ExportView } from './model'
import { getVisibleExport, permissionsFor } from './state'
import { exports_ } from './table'
import { exportView, optionsOf, type ExportRow } from './view'

const RETRY_AFTER_S = 5

/** Lists the caller's exports, or all for a caller who sees all contacts, newest first. */
export function listExports(ctx: Ctx, query: { page: number; limit: number }): Page<ExportView> {
  return readNumbered(ctx, query, {
    table: exports_,
    filter: inOrganization(ctx, exports_, ownWork(ctx, exports_.createdBy)),
    order: [desc(exports_.createdAtMs), desc(exports_.id)],
    views: (rows) => rows.map(exportView),
  })
}

/** Returns an export. Throws NotFoundError. */
export const getExport = (ctx: Ctx, id: string): ExportView => exportView(getVisibleExport(ctx, id))

/** An export file for download. */
interface ExportedFile {
  path: string
  sizeBytes: number
  etag: string
  mimeType: string
  filename: string
  isInline: boolean
}

/**
 * Returns the file of an export. Throws NotFoundError, ConflictError `export_pending` while it is
 * written and `export_failed`, AppError 404 `export_expired`, and ForbiddenError
 * `permission_denied` if it contains data the caller can no longer see.
 */
export async function fileOf(ctx: Ctx, id: string): Promise<ExportedFile> {
  const row = getVisibleExport(ctx, id)
  refuseHiddenData(ctx, row)
  if (row.status === 'queued' || row.status === 'running')
    throw new ConflictError('The export is not finished yet. Try again shortly.', {
      code: 'export_pending',
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    })
  if (row.status === 'failed')
    throw new ConflictError('The export failed. Start a new one.', { code: 'export_failed' })
  const isOver = (row.expiresAtMs ?? 0) <= ctx.clock.nowMs()
  if (row.storedAs === null || isOver || !(await ctx.files.has(row.storedAs)))
    throw new AppError(404, 'The file has been deleted.', { code: 'export_expired' })
  return {
    path: ctx.files.pathOf(row.storedAs),
    sizeBytes: row.bytes,
    etag: `"${row.id}"`,
    mimeType: row.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    filename: `${row.source}-${new Date(row.createdAtMs).toISOString().slice(0, 10)}.${row.format}`,
    isInline: false,
  }
}

/**
 * Rejects exports that contain data the caller is no longer allowed to see. Throws ForbiddenError
 * `permission_denied`.
 */
function refuseHiddenData(ctx: Ctx, row: ExportRow): void {
  const { isUnmasked = false, isOfAll = false } = optionsOf(row)
  const needed: Permission[] = [
    ...permissionsFor(row.source),
    ...(isUnmasked && masksNumbers(ctx) ? (['contacts:unmask'] as const) : []),
    ...(isOfAll && row.source !== 'tags' ? (['contacts:read', 'contacts:read_all'] as const) : []),
  ]
  requirePermissions(ctx.actor, needed)
}
