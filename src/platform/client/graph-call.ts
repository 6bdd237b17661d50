import { isEndpoint, type CallGraph } from './graph-request'
import { readResponse } from './response'
import { PlatformError } from './errors'
import { sendHttpRequest } from './http-call'
import { type PostForm } from './flows'
import type { HttpRequest, HttpLimits } from './http-call'
import { postForm } from './upload'
import type { StreamLimits } from './streamed-call'

/**
 * Returns a function that posts multipart forms with a text file to objects of the platform at
 * `base`.
 */
export const createFormPoster =
  (base: URL, limits: StreamLimits, nowMs: () => number): PostForm =>
  async ({ object, path, fields, file: { text, ...file }, signal, ...call }) => {
    const bytes = new TextEncoder().encode(text)
    const stream = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes
    }
    const prepared = prepare(base, { ...call, object }, path)
    const context = { accessToken: call.accessToken, nowMs }
    return await postForm(
      prepared,
      { fields, file: { ...file, sizeBytes: bytes.length, stream } },
      { signal, limits, context },
    )
  }

/** Returns a function that calls the Graph API at `base`. */
export const createGraphCaller =
  (base: URL, limits: HttpLimits, nowMs: () => number): CallGraph =>
  async ({ object, path = '', payload, method, secrets = [], signal, ...call }) => {
    const prepared = prepare(base, { ...call, object }, path)
    const body = payload === undefined ? null : JSON.stringify(payload)
    if (body !== null) {
      prepared.headers['content-type'] = 'application/json'
      prepared.headers['content-length'] = String(Buffer.byteLength(body))
    }
    const result = await sendHttpRequest(
      { ...prepared, method: method ?? (body === null ? 'GET' : 'POST'), body, signal },
      limits,
    )
    return readResponse(result, { accessToken: call.accessToken ?? '', secrets, nowMs })
  }

/**
 * Builds URL and headers of a call. Throws TypeError for a malformed object ID or version, and
 * PlatformError for a token that does not fit a header.
 */
export function prepare(
  base: URL,
  {
    object,
    apiVersion,
    accessToken,
  }: { object: string; apiVersion: string | null; accessToken: string | null },
  path: string,
): Pick<HttpRequest, 'url' | 'headers'> {
  // The account form validates both too. This check keeps a bad row from reaching another path of
  // the host.
  if (!/^\d{1,32}$/.test(object) && !isEndpoint(object))
    throw new TypeError('the ID of an object is malformed.')
  if (apiVersion !== null && !/^v\d+\.\d+$/.test(apiVersion))
    throw new TypeError('apiVersion is malformed.')
  if (accessToken !== null && !/^[\x21-\x7e]+$/.test(accessToken)) throw unusableToken()
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`
  const version = apiVersion === null ? '' : `/${apiVersion}`
  return {
    url: new URL(`${root}${version}/${object}${path}`),
    headers: {
      ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
  }
}

/**
 * The error for a token that is not valid in a header. Same class as the platform's own refusal.
 */
function unusableToken(): PlatformError {
  return new PlatformError({
    outcome: 'refused',
    platformCode: null,
    subcode: null,
    httpStatus: null,
    retryClass: 'credential',
    retryAfterMs: null,
    details: 'malformed_token',
    traceId: null,
    platformMessage: null,
  })
}
