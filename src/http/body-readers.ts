import { MAX_DOCUMENT_VALUES, readJson } from './body'
import type { Http } from './http-deps'
import { reauthenticateRequest } from './authenticate-request'
import { requestFacts } from './request-facts'
import { isMultipart, readForm } from './multipart'

/** Limits of a route that accepts a file. */
export interface UploadRoute {
  /**
   * Maximum file size in bytes. Defaults to the installation's upload limit, which also caps it.
   */
  maxBytes?: number
  /** Whether the route also accepts a JSON body. */
  takesJson?: boolean
  /** Maximum JSON body in bytes. Defaults to the installation's limit. */
  maxJsonBytes?: number
}

/** Maximum JSON body of routes that accept whole documents, in bytes. */
export const LARGE_BODY_BYTES = 12 * 1024 * 1024

/** Maximum JSON body of routes without a credential, in bytes. */
export const ANONYMOUS_BODY_BYTES = 16 * 1024

/** Maximum JSON body of routes that accept a few fields of one thing, in bytes. */
export const SMALL_BODY_BYTES = 64 * 1024

/** Reads the body of a request whose caller was already checked. */
export type BodyReader = (request: Request) => Promise<unknown>

/**
 * Returns a reader for JSON bodies up to `limitBytes`, which defaults to the installation's limit and
 * may exceed it only for whole documents. Those may have ten times as many fields and items.
 */
export function jsonReader(http: Http, limitBytes?: number): BodyReader {
  const isDocument = limitBytes !== undefined && limitBytes > SMALL_BODY_BYTES
  return (request) => {
    const { settings, deadlines } = http
    const ordinary = Math.min(limitBytes ?? Infinity, settings.bodyLimitBytes)
    const mostValues = isDocument ? MAX_DOCUMENT_VALUES : undefined
    return readJson(
      request,
      isDocument ? limitBytes : ordinary,
      deadlines.limits.bodyMs,
      mostValues,
    )
  }
}

/**
 * Returns a reader for forms with a file, or for JSON where the route accepts it. The file is
 * streamed to the store.
 */
export const uploadReader =
  (http: Http, { maxBytes = Infinity, takesJson = false, maxJsonBytes }: UploadRoute): BodyReader =>
  (request) => {
    if (takesJson && !isMultipart(request)) return jsonReader(http, maxJsonBytes)(request)
    const maxFileBytes = Math.min(maxBytes, http.settings.uploadLimitBytes)
    const { bodyMs, slowConnection: slowLine } = http.deadlines.limits
    const limits = {
      maxBytes: maxFileBytes,
      timeoutMs: bodyMs + Math.ceil(maxFileBytes / slowLine),
    }
    return readForm(request, http.files, limits, (file) => requestFacts(request).staged.push(file))
  }

/**
 * Reads a request body. The time it takes does not count against the request timeout. Authenticates
 * the caller again if reading took long.
 */
export async function readBody(http: Http, request: Request, read: BodyReader): Promise<unknown> {
  const facts = requestFacts(request)
  facts.isReading = true
  const body = await read(request)
  facts.isReading = false
  await reauthenticateRequest(http, request, facts)
  return body
}
