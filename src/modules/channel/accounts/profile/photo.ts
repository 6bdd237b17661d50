import { SECOND_MS } from '../../../../lib/clock'
import { NotFoundError, UnavailableError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { FetchRefusal } from '../../../../infra/guarded-fetch'
import { RETRY_AFTER_S } from '../platform-errors'
import { readProfile } from './service'

/** Size and time of a photo, which the platform keeps small. */
const LIMITS = { maxBytes: 5 * 1024 * 1024, totalTimeoutMs: 10 * SECOND_MS, maxRedirects: 3 }

/** Types that browsers show and that run nothing. */
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const

/** A photo with its type, as its bytes say. */
interface Photo {
  bytes: Uint8Array<ArrayBuffer>
  mimeType: (typeof PHOTO_TYPES)[number]
}

/**
 * Returns the profile photo of a number, fetched from the platform: its address is valid for a short
 * time, and browsers that use this server ask no other one. Throws the errors of readProfile,
 * NotFoundError if there is none, and UnavailableError.
 */
export async function readPhoto(ctx: Ctx, id: string): Promise<Photo> {
  const { profile_picture_url: url } = await readProfile(ctx, id)
  if (url === null) throw new NotFoundError('Profile photo')
  const bytes = await fetchBytes(ctx, url)
  const { fileTypeFromBuffer } = await import('file-type')
  const found = (await fileTypeFromBuffer(bytes))?.mime
  const mimeType = PHOTO_TYPES.find((type) => type === found)
  if (mimeType === undefined) throw new NotFoundError('Profile photo')
  return { bytes, mimeType }
}

async function fetchBytes(ctx: Ctx, url: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const answer = await ctx.fetchGuarded(url, LIMITS)
    const parts: Uint8Array[] = []
    try {
      for await (const part of answer.bytes) parts.push(part)
    } finally {
      answer.close()
    }
    return new Uint8Array(Buffer.concat(parts))
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error
    ctx.log.warn(
      { organization_id: ctx.organizationId, reason: error.message },
      'profile photo not fetched',
    )
    throw new UnavailableError(
      'The profile photo could not be fetched from the platform. Try again in a minute.',
      RETRY_AFTER_S,
      { code: 'platform_unreachable' },
    )
  }
}
