import { contentDisposition } from './content-disposition'
import { requestFacts } from './request-facts'

/** A file to respond with: its path and its headers. */
export interface FileToSend {
  path: string
  sizeBytes: number
  /** Strong: of the bytes. */
  etag: string
  mimeType: string
  filename: string
  /** Whether the client may display it instead of saving it. */
  isInline: boolean
}

const BINARY = { schema: { type: 'string' as const, format: 'binary' } }

/** Types of message files: those that can be displayed, and any other type of a document. */
export const MESSAGE_FILE_TYPES = [
  'image/*',
  'video/*',
  'audio/*',
  'text/*',
  'application/*',
  '*/*',
]

/**
 * Describes the responses of a route that returns `fileResponse`. `types` are the possible types of
 * its files.
 */
export function fileResponses(types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, BINARY]))
  return {
    200: { description: "The file content, with the file's media type.", content },
    206: { description: 'Partial content.', content },
    304: { description: 'Not modified.' },
    416: { description: 'Range not satisfiable.' },
  }
}

/** A part of a file: first and last byte, both included. */
interface Part {
  from: number
  to: number
}

/**
 * Responds to a request for a file (RFC 9110): the whole file, one range, or 304 if the client has
 * it. A malformed range and several ranges are ignored; a range beyond the end is 416. Bytes are
 * streamed from the disk.
 */
export function fileResponse(request: Request, file: FileToSend): Response {
  const headers: Record<string, string> = {
    etag: file.etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': file.mimeType,
    'content-disposition': contentDisposition(
      file.isInline ? 'inline' : 'attachment',
      file.filename,
    ),
  }
  if (isKnown(request.headers.get('if-none-match'), file.etag)) {
    const { 'content-type': _type, 'content-disposition': _name, ...rest } = headers
    return new Response(null, { status: 304, headers: rest })
  }
  const part = partOf(request, file)
  if (part === 'beyond')
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${file.sizeBytes}` },
    })
  const bytes = Bun.file(file.path)
  const size = part ? part.to - part.from + 1 : file.sizeBytes
  requestFacts(request).sent = () => size
  if (!part) return new Response(bytes, { headers: { ...headers, 'content-length': String(size) } })
  return new Response(bytes.slice(part.from, part.to + 1), {
    status: 206,
    headers: {
      ...headers,
      'content-range': `bytes ${part.from}-${part.to}/${file.sizeBytes}`,
      'content-length': String(size),
    },
  })
}

/** Whether a tag that the client knows is the file's, weak tags included (RFC 9110, 13.1.2). */
const isKnown = (header: string | null, etag: string): boolean =>
  header !== null &&
  (header.trim() === '*' ||
    header
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
      .includes(etag))

/**
 * Returns the requested range; `null` for the whole file, `beyond` if the range is outside of the
 * file.
 */
function partOf(request: Request, { sizeBytes, etag }: FileToSend): Part | 'beyond' | null {
  const range = /^bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(
    request.headers.get('range') ?? '',
  )
  const condition = request.headers.get('if-range')
  if (!range || (condition !== null && condition.trim() !== etag)) return null
  const [, first = '', last = ''] = range
  if (first === '' && last === '') return null
  if (first === '')
    return Number(last) === 0 || sizeBytes === 0
      ? 'beyond'
      : { from: Math.max(0, sizeBytes - Number(last)), to: sizeBytes - 1 }
  const from = Number(first)
  if (last !== '' && Number(last) < from) return null
  if (from >= sizeBytes) return 'beyond'
  return { from, to: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}
