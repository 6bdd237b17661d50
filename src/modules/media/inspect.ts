import { fileTypeFromBlob } from 'file-type'
import { imageSize } from 'image-size'
import { parseBlob } from 'music-metadata'

import { AppError, InvalidError } from '../../lib/errors'
import type { StagedFile } from '../../infra/files/staged-file'
import { contradicts, essenceOf, kindOf, KINDS, limitOf, typeName } from './rules'
import type { MediaRow } from './view'

/** What the bytes of a file say of it. */
export type Inspected = Pick<
  MediaRow,
  'kind' | 'mimeType' | 'width' | 'height' | 'durationMs' | 'channels' | 'isAnimated'
>

/** The part of a file in which its type, size in pixels and motion stand, bytes. */
const HEAD_BYTES = 256 * 1_024

/** Texts have no first bytes of their own; these types are believed when the bytes are text. */
const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:json|xml|[\w.+-]+\+(?:json|xml)))$/

const headOf = async (path: string): Promise<Uint8Array> =>
  await Bun.file(path).slice(0, HEAD_BYTES).bytes()

/** Sends a file away because of its type or size: 415 or 413. */
const refuse = (status: 413 | 415, message: string, code: string): AppError =>
  new AppError(status, message, { code, errors: [{ path: 'body.file', message }] })

/**
 * What kind of file this is: decided by its bytes, never by its name. `wanted` is what it is to be
 * sent as; without it the type decides. Throws InvalidError `content_mismatch` when the bytes are
 * not what they claim to be, AppError 415 when the kind does not take this type and 413 when it is
 * too large for it.
 */
export async function inspectFile(
  file: StagedFile,
  wanted: MediaRow['kind'] | undefined,
): Promise<Inspected> {
  const { facts, path } = file
  if (facts.sizeBytes === 0) throw new InvalidError('The file is empty.', mismatch('is empty'))
  const claimed =
    facts.mimeType === null || essenceOf(facts.mimeType) === 'application/octet-stream'
      ? null
      : essenceOf(facts.mimeType)
  const { found, mimeType, head } = await typeOf(path, claimed)
  if (contradicts(claimed, found)) {
    const words = `is not ${claimed}: its content is ${found ?? 'of another type'}`
    throw new InvalidError(`The file ${words}.`, mismatch(words))
  }
  const kind = wanted ?? kindOf(found)
  const { types } = KINDS[kind]
  if (types !== null && !types.has(found ?? ''))
    throw refuse(
      415,
      `A file of type ${mimeType} cannot be sent as ${kind}. Supported types: ` +
        `${[...types].join(', ')}.`,
      'unsupported_media_type',
    )
  if (kind === 'audio' && found === 'audio/ogg' && !isOpus(head))
    throw refuse(
      415,
      'An Ogg file must contain Opus audio to be sent as audio.',
      'unsupported_media_type',
    )
  const isAnimated = isAnimatedWebp(head)
  const limit = limitOf(kind, isAnimated)
  if (facts.sizeBytes > limit)
    throw refuse(
      413,
      `The file exceeds the limit of ${Math.floor(limit / 1_024)} KiB for ${kind}.`,
      'body_too_large',
    )
  return { kind, mimeType, isAnimated, ...sizeOf(found, head), ...(await soundOf(found, path)) }
}

const mismatch = (message: string) => ({
  code: 'content_mismatch',
  errors: [{ path: 'body.file', message }],
})

/** The type of bytes on disk: from the bytes, else, for texts, what they claim to be. */
async function typeOf(
  path: string,
  claimed: string | null,
): Promise<{ found: string | null; mimeType: string; head: Uint8Array }> {
  const head = await headOf(path)
  const told = (await fileTypeFromBlob(Bun.file(path)))?.mime ?? null
  const found = told === null ? null : typeName(told)
  if (found !== null)
    return {
      found,
      head,
      mimeType: found === 'audio/ogg' && isOpus(head) ? 'audio/ogg; codecs=opus' : found,
    }
  if (isText(head))
    return {
      found,
      head,
      mimeType: claimed !== null && TEXT_TYPE.test(claimed) ? claimed : 'text/plain',
    }
  const isOffice = claimed !== null && /^application\/(?:vnd\.|msword)/.test(claimed)
  return { found, head, mimeType: isOffice ? claimed : 'application/octet-stream' }
}

/**
 * The type an incoming file is served with: what the platform says, unless its bytes are something
 * else.
 */
export async function servedType(
  path: string,
  claimed: string | null,
): Promise<Inspected['mimeType']> {
  const { found, mimeType } = await typeOf(path, claimed === null ? null : essenceOf(claimed))
  return claimed === null ||
    contradicts(claimed, found) ||
    (found !== null && typeName(claimed) !== found)
    ? mimeType
    : claimed
}

/** What the bytes of an incoming file say of it beside its type. */
export async function measured(
  path: string,
  mimeType: string | null,
): Promise<Omit<Inspected, 'kind' | 'mimeType'>> {
  const head = await headOf(path)
  const found = mimeType === null ? null : typeName(mimeType)
  return {
    isAnimated: isAnimatedWebp(head),
    ...sizeOf(found, head),
    ...(await soundOf(found, path)),
  }
}

function isText(head: Uint8Array): boolean {
  try {
    // The last letter may be cut in half where the head ends.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return !text.includes('\0')
  } catch {
    return false
  }
}

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))

/** An ogg stream whose first packet is an opus head (RFC 7845). */
const isOpus = (head: Uint8Array): boolean =>
  ascii(head, 0, 4) === 'OggS' && ascii(head, 28, 36) === 'OpusHead'

/** A webp file with the flag of an animation in its extended header. */
const isAnimatedWebp = (head: Uint8Array): boolean =>
  ascii(head, 0, 4) === 'RIFF' &&
  ascii(head, 8, 16) === 'WEBPVP8X' &&
  ((head[20] ?? 0) & 0x02) !== 0

function sizeOf(
  found: string | null,
  head: Uint8Array,
): { width: number | null; height: number | null } {
  const nothing = { width: null, height: null }
  if (found === null || !found.startsWith('image/')) return nothing
  try {
    const { width, height } = imageSize(head)
    return { width, height }
  } catch {
    return nothing // a picture cut short or of an odd make is still a picture
  }
}

/**
 * Reads that the length of a recording may take. A file of millions of empty parts would keep the
 * reader busy for minutes.
 */
const MAX_READS = 50_000

/**
 * A file that refuses to be read in more than `MAX_READS` pieces. Throws Error from `slice` then.
 */
class BoundedFile extends Blob {
  #reads = 0

  constructor(private readonly file: Blob) {
    super([], { type: file.type })
    Object.defineProperty(this, 'size', { value: file.size })
  }

  override slice(start?: number, end?: number): Blob {
    this.#reads += 1
    if (this.#reads > MAX_READS) throw new Error('The file has too many parts.')
    return this.file.slice(start, end)
  }
}

async function soundOf(
  found: string | null,
  path: string,
): Promise<{ durationMs: number | null; channels: number | null }> {
  const nothing = { durationMs: null, channels: null }
  if (found === null || !/^(?:audio|video)\//.test(found)) return nothing
  try {
    const { format } = await parseBlob(new BoundedFile(Bun.file(path, { type: found })), {
      skipCovers: true,
      duration: false,
    })
    const durationMs = format.duration === undefined ? null : Math.round(format.duration * 1_000)
    return { durationMs, channels: format.numberOfChannels ?? null }
  } catch {
    return nothing // likewise
  }
}
