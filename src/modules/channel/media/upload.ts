import { ForbiddenError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { recordAudit } from '../../organization/audit/record'
import { inspectFile } from './inspect'
import type { MediaView } from './model'
import { getVisibleMedia, isOfAnyMessage } from './queries'
import { deleteMediaIn } from './delete-files'
import { insertMediaIn, storedRow } from './store'
import { mediaView, type MediaRow } from './view'

/** An uploaded file. */
export interface Upload {
  file: StagedFile
  kind?: MediaRow['kind'] | undefined
  /** Replaces the name of the file. */
  filename?: string | undefined
}

/**
 * Stores an uploaded file; it expires after a day if it is not used. Throws InvalidError
 * `content_mismatch` if its bytes contradict its type, AppError 413 and 415 if its kind does not
 * accept it.
 */
export async function createUpload(ctx: Ctx, upload: Upload): Promise<MediaView> {
  return mediaView(await storeUpload(ctx, upload))
}

/** Stores an uploaded file and returns its row. */
export async function storeUpload(ctx: Ctx, { file, kind, filename }: Upload): Promise<MediaRow> {
  const inspected = await inspectFile(file, kind)
  return await storeStaged(ctx, { staged: file, inspected, origin: 'upload', filename })
}

/** Stores a validated file and its row; without the row, the file is deleted again. */
export async function storeStaged(
  ctx: Ctx,
  file: Omit<Parameters<typeof storedRow>[1], 'storedAs'>,
): Promise<MediaRow> {
  const storedAs = await ctx.files.keep(file.staged)
  const row = storedRow(ctx, { ...file, storedAs })
  try {
    transact(ctx.db, (tx) => {
      insertMediaIn(tx, row)
      return mediaView(row)
    })
    return row
  } catch (error) {
    await ctx.files.remove(storedAs)
    throw error
  }
}

/**
 * Deletes a file. The caller may delete its own unused uploads; other files need contacts:delete.
 * Throws NotFoundError for an invisible file and ForbiddenError.
 */
export function deleteMedia(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getVisibleMedia(ctx, id)
    const isOwnUnused =
      row.uploadedBy === ctx.actor.userId &&
      row.expiresAtMs !== null &&
      !isOfAnyMessage(ctx, row.id)
    if (!isOwnUnused && !hasPermission(ctx.actor, 'contacts:delete'))
      throw new ForbiddenError('Deleting this file requires the permission `contacts:delete`.', {
        code: 'permission_denied',
      })
    deleteMediaIn(tx, ctx, [row.id])
    if (!isOwnUnused)
      recordAudit(tx, ctx, {
        action: 'deleted',
        resourceType: 'media',
        resourceId: row.id,
        resourceName: row.filename ?? row.kind,
      })
  })
}
