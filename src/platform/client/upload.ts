import { randomBytes } from 'node:crypto'
import { FormDataEncoder, type FormDataLike } from 'form-data-encoder'
import { readAnswer, type AnswerContext } from './response'
import { wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { type Prepared, type StreamLimits, brokenOff, send, wholeOf } from './streamed-call'

/** A file to upload. */
export interface OutgoingFile {
  filename: string
  mimeType: string
  sizeBytes: number
  /** Opens its bytes; called once per request. */
  stream: () => AsyncIterable<Uint8Array>
}

/** Returns the form interface that the encoder takes: its entries, one of them a file on disk. */
const formOf = (entries: [string, unknown][]): FormDataLike => {
  const each = () => entries[Symbol.iterator]()
  return {
    append: () => undefined,
    getAll: () => [],
    entries: each,
    [Symbol.iterator]: each,
    [Symbol.toStringTag]: 'FormData',
  } as FormDataLike
}

/**
 * Uploads a file as a streamed form (platform documentation: Media). Returns the media ID. Throws
 * PlatformError.
 */
export async function uploadFile(
  prepared: Prepared,
  file: OutgoingFile,
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<string> {
  const fields: [string, string][] = [
    ['messaging_product', 'whatsapp'],
    ['type', file.mimeType],
  ]
  const id = wordOf((await postForm(prepared, { fields, file }, how)).id)
  if (id === null) throw brokenOff('no_id', 200)
  return id
}

/** Posts a streamed form with a file and returns the parsed response. Throws PlatformError. */
export async function postForm(
  prepared: Prepared,
  { fields, file }: { fields: [string, string][]; file: OutgoingFile },
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<JsonObject> {
  const form = formOf([
    ...fields,
    [
      'file',
      {
        name: file.filename,
        type: file.mimeType,
        size: file.sizeBytes,
        lastModified: 0,
        stream: file.stream,
        [Symbol.toStringTag]: 'File',
      },
    ],
  ])
  // The boundary is random, so that file content cannot forge a form field.
  const encoder = new FormDataEncoder(form, `switchboard-${randomBytes(16).toString('hex')}`)
  const headers = { ...prepared.headers, ...encoder.headers }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'POST', how.limits, {
    signal: how.signal,
    body: encoder.encode(),
  })
  return readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
}

/** Streams a file to an upload session and returns the parsed response. Throws PlatformError. */
export async function uploadBytes(
  prepared: Prepared,
  file: Pick<OutgoingFile, 'sizeBytes' | 'stream'>,
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<JsonObject> {
  const headers = {
    ...prepared.headers,
    authorization: `OAuth ${how.context.accessToken}`,
    file_offset: '0',
    'content-type': 'application/octet-stream',
    'content-length': String(file.sizeBytes),
  }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'POST', how.limits, {
    signal: how.signal,
    body: file.stream(),
  })
  return readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
}
