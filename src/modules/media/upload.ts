import { ForbiddenError } from '../../lib/errors'
import { hasPermission, type Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import type { StagedFile } from '../../infra/files/staged-file'
import { recordAudit } from '../audit/record'
import { inspectFile } from './inspect'
import type { MediaView } from './model'
import { getVisibleMedia, isOfAnyMessage } from './queries'
import { removeMediaIn } from './delete-files'
import { insertMediaIn, storedRow } from './store'
import { mediaView, type MediaRow } from './view'

/** A file somebody hands in. */
export interface Upload {
  file: StagedFile
  kind?: MediaRow['kind'] | undefined
  /** A name instead of the file's own. */
  filename?: string | undefined
}

/**
 * Keeps a file that was handed in, until it is sent or for a day. Throws InvalidError
 * `content_mismatch` when it is not what it claims to be, AppError 413 and 415 when its kind does
 * not take it.
 */
export async function createUpload(ctx: Ctx, upload: Upload): Promise<MediaView> {
  return mediaView(await storeUpload(ctx, upload))
}

/** The same, for a verb that goes on with the file: its row. */
export async function storeUpload(ctx: Ctx, { file, kind, filename }: Upload): Promise<MediaRow> {
  const inspected = await inspectFile(file, kind)
  return await keepStaged(ctx, { staged: file, inspected, origin: 'upload', filename })
}

/**
 * Moves a file that was found good to its place and writes its row; what cannot be written down is
 * not kept either.
 */
export async function keepStaged(
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
 * Takes an upload away before it is sent. Somebody else's, and a file messages refer to, needs
 * contacts:delete. Throws NotFoundError for a file out of sight and ForbiddenError.
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
    removeMediaIn(tx, ctx, [row.id])
    if (!isOwnUnused)
      recordAudit(tx, ctx, {
        action: 'deleted',
        resourceType: 'media',
        resourceId: row.id,
        resourceName: row.filename ?? row.kind,
      })
  })
}
