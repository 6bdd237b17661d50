import { AppError, InvalidError } from '../../../lib/errors'
import type { StagedFile } from '../../../infra/files/staged-file'
import { contradicts, essenceOf, kindOf, KINDS, limitOf, typeName } from './rules'
import type { MediaRow } from './view'
import { type FileFacts, headOf, ascii, isAnimatedWebp, sizeOf, readAudioInfo } from './measure'

/** Text has no signature; these claimed types are accepted if the bytes are text. */
const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:json|xml|[\w.+-]+\+(?:json|xml)))$/

/** Returns the 415 or 413 error for a file. */
const fileError = (status: 413 | 415, message: string, code: string): AppError =>
  new AppError(status, message, { code, errors: [{ path: 'body.file', message }] })

/**
 * Determines type and kind of a file from its bytes, never from its name. `wanted` is the kind it
 * will be sent as. Throws InvalidError `content_mismatch` if the bytes contradict the claimed type,
 * AppError 415 if the kind does not accept the type, and 413 if it is too large.
 */
export async function inspectFile(
  file: StagedFile,
  wanted: MediaRow['kind'] | undefined,
): Promise<FileFacts> {
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
    throw fileError(
      415,
      `A file of type ${mimeType} cannot be sent as ${kind}. Supported types: ` +
        `${[...types].join(', ')}.`,
      'unsupported_media_type',
    )
  if (kind === 'audio' && found === 'audio/ogg' && !isOpus(head))
    throw fileError(
      415,
      'An Ogg file must contain Opus audio to be sent as audio.',
      'unsupported_media_type',
    )
  const isAnimated = isAnimatedWebp(head)
  const limit = limitOf(kind, isAnimated)
  if (facts.sizeBytes > limit)
    throw fileError(
      413,
      `The file exceeds the limit of ${Math.floor(limit / 1_024)} KiB for ${kind}.`,
      'body_too_large',
    )
  return {
    kind,
    mimeType,
    isAnimated,
    ...sizeOf(found, head),
    ...(await readAudioInfo(found, path)),
  }
}

const mismatch = (message: string) => ({
  code: 'content_mismatch',
  errors: [{ path: 'body.file', message }],
})

/** Detects the type from the bytes; for text it is the claimed type. */
async function typeOf(
  path: string,
  claimed: string | null,
): Promise<{ found: string | null; mimeType: string; head: Uint8Array }> {
  const head = await headOf(path)
  const { fileTypeFromBlob } = await import('file-type')
  const detected = (await fileTypeFromBlob(Bun.file(path)))?.mime ?? null
  const found = detected === null ? null : typeName(detected)
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
 * Returns the type to serve an incoming file with: the claimed type, unless the bytes contradict
 * it.
 */
export async function servedType(
  path: string,
  claimed: string | null,
): Promise<FileFacts['mimeType']> {
  const { found, mimeType } = await typeOf(path, claimed === null ? null : essenceOf(claimed))
  return claimed === null ||
    contradicts(claimed, found) ||
    (found !== null && typeName(claimed) !== found)
    ? mimeType
    : claimed
}

function isText(head: Uint8Array): boolean {
  try {
    // The head may end inside a character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return !text.includes('\0')
  } catch {
    return false
  }
}

/** Reports whether the first packet of an ogg stream is an opus head (RFC 7845). */
const isOpus = (head: Uint8Array): boolean =>
  ascii(head, 0, 4) === 'OggS' && ascii(head, 28, 36) === 'OpusHead'
