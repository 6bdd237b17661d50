import { fieldSentence, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { StagedFile } from '../../../infra/files/staged-file'
import { findAccount } from '../accounts/queries'
import { openFileForUpload } from '../media/platform-uploads'
import { storeUpload } from '../media/upload'
import type { TemplateSample } from './preview-model'
import type { OutgoingFile } from '../../../platform/client/upload'
import { businessCallOf } from '../accounts/platform-calls'
import { appIdOf } from '../accounts/profile/service'
import { platformErrorOf } from '../accounts/platform-errors'
import type { AccountRow } from '../accounts/view'

/** File kinds that a header can carry. */
const KINDS: ReadonlySet<string> = new Set(['image', 'video', 'document'])

/**
 * Stores a file and uploads it to the platform as a header sample. Throws InvalidError (also
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
  const sample = await openFileForUpload(ctx, row.id)
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

/**
 * Uploads a file to the platform as a sample and returns its handle. Throws like {@link
 * publishTemplate}.
 */
export async function uploadSample(
  ctx: Ctx,
  account: AccountRow,
  file: OutgoingFile,
): Promise<string> {
  const appId = await appIdOf(ctx, account)
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  try {
    return await ctx.platform.uploadToApp({ apiVersion, accessToken, appId, file })
  } catch (error) {
    throw platformErrorOf(error, {
      rejected: 'The platform rejected the sample file of the header.',
    })
  }
}
