import { fieldSentence, InvalidError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import type { StagedFile } from '../../infra/files/staged-file'
import { findAccount } from '../accounts/queries'
import { fileToHandOver } from '../media/prepare-to-send'
import { storeUpload } from '../media/upload'
import type { TemplateSample } from './model'
import { uploadSample } from './create'

/** Kinds of files a header can carry. */
const KINDS: ReadonlySet<string> = new Set(['image', 'video', 'document'])

/**
 * Keeps a file and hands it to the platform as the sample of a header. Throws InvalidError (also
 * `content_mismatch`, `app_unknown`, `platform_rejected`), AppError 413 and 415, and
 * UnavailableError.
 */
export async function uploadTemplateMedia(
  ctx: Ctx,
  { accountId, file }: { accountId: string; file: StagedFile },
): Promise<TemplateSample> {
  const account = findAccount(ctx, accountId)
  if (account === null || account.deletedAtMs !== null)
    throw wrong('body.account_id', 'is not a connected phone number')
  const row = await storeUpload(ctx, { file })
  if (!KINDS.has(row.kind)) throw wrong('body.file', 'must be an image, a video or a document')
  const sample = await fileToHandOver(ctx, row.id)
  if (sample === null) throw wrong('body.file', 'could not be stored')
  const handle = await uploadSample(ctx, account, sample)
  return {
    handle,
    media_id: row.id,
    filename: row.filename,
    mime_type: row.mimeType,
    size_bytes: row.sizeBytes,
  }
}

const wrong = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), { errors: [{ path, message }] })
