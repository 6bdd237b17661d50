import { desc } from 'drizzle-orm'

import { AppError, ConflictError } from '../../../lib/errors'
import { isoTime } from '../../../lib/clock'
import type { Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { readNumbered } from '../../../infra/offset-pagination'
import { recordAudit } from '../../organization/audit/record'
import { requireFreshLogin } from '../../organization/auth/fresh-login'
import { ctxOfOrganization, getOrganization } from '../../organization/organizations/service'
import { archiveView, type ArchiveView } from './model'
import { getVisibleArchive, visibleTo } from './state'
import { organizationArchives } from './table'

const RETRY_AFTER_S = 5

/** Lists the archives of an organization that the caller may have, newest first. Throws NotFoundError. */
export function listArchives(
  ctx: Ctx,
  organizationId: string,
  query: { page: number; limit: number },
): Page<ArchiveView> {
  const there = ctxOfOrganization(ctx, organizationId)
  return readNumbered(there, query, {
    table: organizationArchives,
    filter: inOrganization(there, organizationArchives, visibleTo(there)),
    order: [desc(organizationArchives.createdAtMs), desc(organizationArchives.id)],
    views: (rows) => rows.map(archiveView),
  })
}

/** Returns an archive. Throws NotFoundError. */
export const getArchiveView = (ctx: Ctx, organizationId: string, id: string): ArchiveView =>
  archiveView(getVisibleArchive(ctxOfOrganization(ctx, organizationId), id))

/** An archive for download. */
interface ArchiveFile {
  path: string
  sizeBytes: number
  etag: string
  mimeType: string
  filename: string
  isInline: boolean
}

/**
 * Returns the file of an archive and records who gets it. Throws NotFoundError, ForbiddenError
 * `fresh_login_required`, ConflictError `archive_pending` and `archive_failed`, and AppError 404
 * `archive_expired`.
 */
export async function fileOfArchive(
  ctx: Ctx,
  organizationId: string,
  id: string,
): Promise<ArchiveFile> {
  const there = ctxOfOrganization(ctx, organizationId)
  const row = getVisibleArchive(there, id)
  requireFreshLogin(ctx)
  if (row.status === 'queued' || row.status === 'running')
    throw new ConflictError('The archive is not finished yet. Try again later.', {
      code: 'archive_pending',
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    })
  if (row.status === 'failed')
    throw new ConflictError('The archive failed. Start a new one.', { code: 'archive_failed' })
  const isOver = (row.expiresAtMs ?? 0) <= ctx.clock.nowMs()
  if (row.storedAs === null || isOver || !(await ctx.files.has(row.storedAs)))
    throw new AppError(404, 'The archive has been deleted.', { code: 'archive_expired' })
  const { name, slug } = getOrganization(there)
  transact(ctx.db, (tx) =>
    recordAudit(tx, there, {
      action: 'downloaded',
      resourceType: 'organization',
      resourceId: organizationId,
      resourceName: name,
    }),
  )
  return {
    path: ctx.files.pathOf(row.storedAs),
    sizeBytes: row.bytes ?? 0,
    etag: `"${row.id}"`,
    mimeType: 'application/zip',
    filename: `${slug}-${isoTime(row.createdAtMs).slice(0, 10)}.zip`,
    isInline: false,
  }
}
