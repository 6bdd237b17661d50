import { parseJson } from '../infra/json/parse'
import { scanJson } from '../infra/json/scan'
import { AppError, InvalidError, TooLargeError, UnsupportedMediaTypeError } from '../lib/errors'

/** The connection ended before the whole body had arrived. */
export class BodyCutOffError extends InvalidError {
  constructor() {
    super('The connection was closed before the request body was complete.', {
      code: 'malformed_json',
    })
  }
}

/**
 * Reads a body of up to `limitBytes` within `timeoutMs`, regardless of its declared length. Throws
 * TooLargeError before reading if the declared length is over the limit, and otherwise at the first
 * byte beyond it; AppError 408 `body_too_slow`; InvalidError if the connection closes.
 */
export async function readBytes(
  request: Request,
  limitBytes: number,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limitBytes) throw new TooLargeError(limitBytes)
  const tooSlow = Promise.withResolvers<never>()
  const timer = setTimeout(() => tooSlow.reject(slowBody(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([readAll(request, declared, limitBytes), tooSlow.promise])
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    throw new BodyCutOffError() // the connection is gone, so the error reaches nobody
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the error for a body that takes too long. */
export const slowBody = (timeoutMs: number): AppError =>
  new AppError(
    408,
    `The request body was not received within ${Math.ceil(timeoutMs / 1_000)} seconds. ` +
      'Check your connection and try again.',
    {
      code: 'body_too_slow',
      headers: { connection: 'close' },
    },
  )

async function readAll(
  request: Request,
  declared: string | null,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (declared !== null || request.body === null) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > limitBytes) throw new TooLargeError(limitBytes)
    return bytes
  }
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > limitBytes) {
      await reader.cancel()
      throw new TooLargeError(limitBytes)
    }
    chunks.push(part.value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/**
 * Maximum nesting of a body, with the value in the innermost list or object as a level. No schema needs
 * more, and recursive code must not overflow the stack.
 */
const MAX_LEVELS = 100

/**
 * Fields and items in a body of an ordinary route. Each costs time in parsing and validation, far more
 * than its bytes, and everybody else waits meanwhile.
 */
const MAX_VALUES = 20_000

/** The same of a route for whole documents and long lists, and of one object in them. */
export const MAX_DOCUMENT_VALUES = 200_000
const MAX_FIELDS = 20_000

const refused = (message: string, code: string): InvalidError =>
  new InvalidError(`The request body ${message}.`, { code, errors: [{ path: 'body', message }] })

/**
 * Reads a JSON body of at most `limitBytes` and `maxValues` fields and items within `timeoutMs`: an
 * object, the empty one for none.
 * Throws TooLargeError, AppError 408 `body_too_slow`, UnsupportedMediaTypeError and InvalidError
 * (`malformed_json`, `invalid_input`).
 */
export async function readJson(
  request: Request,
  limitBytes: number,
  timeoutMs: number,
  maxValues = MAX_VALUES,
): Promise<unknown> {
  const mediaType = request.headers.get('content-type')
  const bytes = await readBytes(request, limitBytes, timeoutMs)
  if (bytes.length === 0) return {}
  if (mediaType !== null && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(mediaType))
    throw new UnsupportedMediaTypeError()
  const limits = { values: maxValues, fields: MAX_FIELDS, levels: MAX_LEVELS }
  const scanned = await scanJson(bytes, limits)
  if ('excess' in scanned) throw refused(scanned.excess, 'invalid_input')
  let value: unknown
  try {
    value = await parseJson(bytes, scanned.large)
  } catch {
    throw new InvalidError('The request body is not valid JSON.', { code: 'malformed_json' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused('must be a JSON object', 'invalid_input')
  return value
}
