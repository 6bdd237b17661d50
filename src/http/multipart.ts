import {
  Busboy,
  type BusboyFileStream,
  type BusboyHeaders,
  type BusboyInstance,
} from '@fastify/busboy'
import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

import { InvalidError, TooLargeError, UnsupportedMediaTypeError } from '../lib/errors'
import { StagedFile } from '../infra/files/staged-file'
import { FileTooLargeError, type FileStore } from '../infra/files/store'
import { BodyCutOffError, slowBody } from './body'

TypeRegistry.Set('StagedFile', (_schema, value) => value instanceof StagedFile)

/** Returns the schema of a file part in the body of an upload route. */
export const FilePart = (description: string) =>
  Type.Unsafe<StagedFile>({
    [Kind]: 'StagedFile',
    type: 'string',
    format: 'binary',
    description,
    error: 'must be a file part',
  })

/**
 * Maximum number and size of other parts. The framing of a part comes on top of the file's own
 * bytes.
 */
const MAX_FIELDS = 50
const MAX_FIELD_BYTES = 256 * 1024
const MAX_FILES = 1
const FRAMING_BYTES = 1024 * 1024

const MULTIPART = /^multipart\/form-data\s*;/i

/** Whether a request declares a multipart form. */
export const isMultipart = (request: Request): boolean =>
  MULTIPART.test(request.headers.get('content-type') ?? '')

/** Limits of an upload route. */
export interface UploadLimits {
  /** Largest file, bytes. */
  maxBytes: number
  /** Maximum time for the whole form, milliseconds. */
  timeoutMs: number
}

const malformed = (message: string): InvalidError =>
  new InvalidError(`The form ${message}.`, {
    code: 'malformed_multipart',
    errors: [{ path: 'body', message }],
  })

/**
 * Reads a multipart form as it arrives: fields as text, the file streamed to the store without
 * being held in memory. Calls `staged` for each file as soon as it is stored, so that the caller
 * can discard files that are not kept. Throws TooLargeError, UnsupportedMediaTypeError,
 * InvalidError `malformed_multipart` and AppError 408 `body_too_slow`.
 */
export async function readForm(
  request: Request,
  files: FileStore,
  limits: UploadLimits,
  staged: (file: StagedFile) => void,
): Promise<Record<string, unknown>> {
  if (!isMultipart(request)) throw new UnsupportedMediaTypeError('multipart/form-data')
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > limits.maxBytes + FRAMING_BYTES) throw new TooLargeError(limits.maxBytes)
  if (!request.body) throw malformed('is empty')
  const parser = openParser(request, limits)
  const form = collect(parser, files, limits, staged)
  const timer = setTimeout(() => form.fail(slowBody(limits.timeoutMs)), limits.timeoutMs)
  try {
    await feed(request.body, parser, form)
    await Promise.all(form.writing)
  } finally {
    clearTimeout(timer)
  }
  if (form.failure !== null) throw form.failure
  return { ...form.body }
}

/** A form that is being read. */
interface Form {
  body: Record<string, unknown>
  writing: Promise<void>[]
  /** The first error. Nothing more is read after it. */
  failure: Error | null
  fail(error: unknown): void
  /** Called after the first error. */
  onFailure: () => void
}

/** Connects the parser: fields become text, files are streamed to the store. */
function collect(
  parser: BusboyInstance,
  files: FileStore,
  limits: UploadLimits,
  staged: (file: StagedFile) => void,
): Form {
  const open = new Set<BusboyFileStream>()
  const form: Form = {
    body: Object.create(null) as Record<string, unknown>,
    writing: [],
    failure: null,
    onFailure: () => undefined,
    fail(error) {
      if (form.failure !== null) return
      form.failure = error instanceof Error ? error : new Error('the form could not be read')
      for (const stream of open) stream.destroy(new Error('form parsing stopped'))
      form.onFailure()
    },
  }
  const put = (name: string, value: unknown): void => {
    if (name in form.body) form.fail(malformed(`has two parts named ${JSON.stringify(name)}`))
    form.body[name] = value
  }
  parser.on('field', (name, value, isNameCut, isValueCut) => {
    if (isNameCut || isValueCut) form.fail(new TooLargeError(MAX_FIELD_BYTES))
    else put(name, value)
  })
  parser.on('file', (name, stream, filename, _encoding, mimeType) => {
    const store = async (): Promise<void> => {
      open.add(stream)
      // The parser emits an event on the file if it ends early; without a listener it would end the
      // process. The store reports all other errors of a file.
      stream.on('error', (error) => {
        if (CUT_SHORT.test(error.message)) form.fail(refusalOf(error, limits))
      })
      const about = { filename: nameOf(filename), mimeType, maxBytes: limits.maxBytes }
      try {
        const file = await files.stage(stream as AsyncIterable<Uint8Array>, about)
        staged(file)
        put(name, file)
      } catch (error) {
        form.fail(refusalOf(error, limits))
      } finally {
        open.delete(stream)
      }
    }
    form.writing.push(store())
  })
  for (const event of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(event, () => form.fail(malformed('has too many parts')))
  return form
}

/** Returns the client's error for a file that could not be stored. */
function refusalOf(error: unknown, { maxBytes }: Pick<UploadLimits, 'maxBytes'>): unknown {
  if (error instanceof FileTooLargeError) return new TooLargeError(maxBytes)
  return error instanceof Error && CUT_SHORT.test(error.message)
    ? malformed('ends in the middle of a part')
    : error
}

/**
 * Browsers write quotation marks and line breaks in a file name as `%22`, `%0D` and `%0A` (HTML
 * standard, multipart form data).
 */
const nameOf = (written: string | undefined): string | null =>
  written?.replaceAll(/%(?:22|0D|0A)/gi, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  ) ?? null

/** The parser's words for a body that ends too early. */
const CUT_SHORT = /unexpected end|terminated early/i

function openParser(request: Request, { maxBytes }: UploadLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': request.headers.get('content-type') ?? '' } as BusboyHeaders,
      limits: {
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fields: MAX_FIELDS,
        files: MAX_FILES,
        fileSize: maxBytes + 1,
        headerPairs: 20,
      },
    })
  } catch {
    throw malformed('has no valid boundary')
  }
}

/**
 * Feeds the body to the parser, as fast as the parser accepts it, until its end or the first error.
 */
async function feed(
  body: ReadableStream<Uint8Array>,
  parser: BusboyInstance,
  form: Form,
): Promise<void> {
  const reader = body.getReader()
  const ended = Promise.withResolvers<void>()
  let goOn: () => void = () => undefined
  form.onFailure = () => {
    ended.resolve()
    goOn()
    reader.cancel().catch(() => undefined) // ends a read that waits for bytes that never arrive
  }
  parser.on('drain', () => goOn())
  parser.on('finish', () => ended.resolve())
  parser.on('error', (error: Error) => form.fail(refusalOf(error, { maxBytes: 0 })))
  try {
    for (
      let part = await reader.read();
      !part.done && form.failure === null;
      part = await reader.read()
    )
      if (!parser.write(part.value)) await new Promise<void>((resolve) => void (goOn = resolve))
    if (form.failure === null) parser.end()
    await ended.promise
  } catch (error) {
    form.fail(error instanceof Error && error.name === 'AbortError' ? new BodyCutOffError() : error)
  }
  if (form.failure !== null) parser.destroy()
}
