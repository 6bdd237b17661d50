import { randomBytes } from 'node:crypto'
import { FormDataEncoder, type FormDataLike } from 'form-data-encoder'
import { readResponse, type ResponseContext } from './response'
import { wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { type Prepared, type StreamLimits, retryableFailure, send, readAll } from './streamed-call'

/** A file to upload. */
export interface OutgoingFile {
  filename: string
  mimeType: string
  sizeBytes: number
  /** Opens its bytes; called once per request. */
  stream: () => AsyncIterable<Uint8Array>
}

/** Returns the form interface that the encoder takes: its entries, one of them a file on disk. */
const createForm = (entries: [string, unknown][]): FormDataLike => {
  const iterate = () => entries[Symbol.iterator]()
  return {
    append: () => undefined,
    getAll: () => [],
    entries: iterate,
    [Symbol.iterator]: iterate,
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
  options: { signal?: AbortSignal | undefined; limits: StreamLimits; context: ResponseContext },
): Promise<string> {
  const fields: [string, string][] = [
    ['messaging_product', 'whatsapp'],
    ['type', file.mimeType],
  ]
  const id = wordOf((await postForm(prepared, { fields, file }, options)).id)
  if (id === null) throw retryableFailure('no_id', 200)
  return id
}

/** Posts a streamed form with a file and returns the parsed response. Throws PlatformError. */
export async function postForm(
  prepared: Prepared,
  { fields, file }: { fields: [string, string][]; file: OutgoingFile },
  options: { signal?: AbortSignal | undefined; limits: StreamLimits; context: ResponseContext },
): Promise<JsonObject> {
  const form = createForm([
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
  const { response, guard } = await send({ url: prepared.url, headers }, 'POST', options.limits, {
    signal: options.signal,
    body: encoder.encode(),
  })
  return readResponse(
    await readAll(response, options.limits.maxResponseBytes, guard),
    options.context,
  )
}

/** Streams a file to an upload session and returns the parsed response. Throws PlatformError. */
export async function uploadBytes(
  prepared: Prepared,
  file: Pick<OutgoingFile, 'sizeBytes' | 'stream'>,
  options: { signal?: AbortSignal | undefined; limits: StreamLimits; context: ResponseContext },
): Promise<JsonObject> {
  const headers = {
    ...prepared.headers,
    authorization: `OAuth ${options.context.accessToken}`,
    file_offset: '0',
    'content-type': 'application/octet-stream',
    'content-length': String(file.sizeBytes),
  }
  const { response, guard } = await send({ url: prepared.url, headers }, 'POST', options.limits, {
    signal: options.signal,
    body: file.stream(),
  })
  return readResponse(
    await readAll(response, options.limits.maxResponseBytes, guard),
    options.context,
  )
}
