import { AppError } from '../../../../lib/errors'
import { SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { FetchRefusal } from '../../../../infra/guarded-fetch'
import type { MessageLink } from '../../../../platform/client/entry-point-calls'
import { qrFileIdOf, storedQrCodes } from '../../accounts/entry-points/read'
import { stageFromUrl } from '../fetch-url'
import { inspectFile } from '../inspect'
import { findMedia, replaceMediaIn, storedRow } from '../store'
import type { MediaRow } from '../view'

/** Downloads of one request, and how many of them run at the same time. */
const DOWNLOADS = { perRequest: 20, atOnce: 5 }
const TIMEOUT_MS = 5 * SECOND_MS

/** Stores the QR codes of links that have no file yet. Leaves out those that cannot be downloaded. */
export async function storeQrCodes(
  ctx: Ctx,
  accountId: string,
  links: MessageLink[],
): Promise<void> {
  const stored = storedQrCodes(ctx, accountId, links)
  const missing = links.filter(({ code }) => !stored.has(code)).slice(0, DOWNLOADS.perRequest)
  for (let from = 0; from < missing.length; from += DOWNLOADS.atOnce)
    await Promise.all(
      missing.slice(from, from + DOWNLOADS.atOnce).map(async ({ code, imageUrl }) => {
        const file = { id: qrFileIdOf(accountId, code), accountId }
        if (imageUrl !== null) await storeQrCode(ctx, file, imageUrl)
      }),
    )
}

/** The file of a QR code: its ID and phone number. */
type QrFile = Pick<MediaRow, 'id'> & { accountId: string }

/** Downloads and stores a QR code. */
async function storeQrCode(ctx: Ctx, qrCode: QrFile, url: string): Promise<void> {
  let staged: StagedFile | null = null
  try {
    staged = await stageFromUrl(ctx, url, { kind: 'image', totalTimeoutMs: TIMEOUT_MS })
    const inspected = await inspectFile(staged, 'image')
    await keepQrCode(ctx, qrCode, { staged, inspected, origin: 'qr_code', filename: 'qr-code.png' })
  } catch (error) {
    if (staged) await ctx.files.discard(staged)
    if (!(error instanceof FetchRefusal || error instanceof AppError)) throw error
    ctx.log.warn(
      { organization_id: ctx.organizationId, reason: error.message },
      'QR code not fetched',
    )
  }
}

/** Stores the file, unless another request stored it meanwhile. */
async function keepQrCode(
  ctx: Ctx,
  qrCode: QrFile,
  file: Omit<Parameters<typeof storedRow>[1], 'storedAs'>,
): Promise<void> {
  const storedAs = await ctx.files.keep(file.staged)
  let isKept = false
  try {
    isKept = transact(ctx.db, (tx) => {
      if (findMedia(ctx, [qrCode.id])[0]?.state === 'ready') return false
      const row = storedRow(ctx, { ...file, storedAs })
      replaceMediaIn(tx, { ...row, ...qrCode, uploadedBy: null, expiresAtMs: null })
      return true
    })
  } finally {
    if (!isKept) await ctx.files.remove(storedAs)
  }
}
