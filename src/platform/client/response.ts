import type { IncomingHttpHeaders } from 'node:http'
import { PlatformError, classify } from './errors'
import type { HttpResult } from './http-call'
import { isObject, listOf, numberOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/**
 * Longest pause accepted from a header. Later retries would find the message expired, and a broken
 * header must not block a number for years.
 */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000
const MAX_TEXT = 1000

/** Facts about the request that reading the response needs. */
export interface ResponseContext {
  /** Redacted from the response: the platform repeats malformed tokens in its errors. */
  accessToken: string
  /** Also redacted. */
  secrets?: readonly string[]
  nowMs: () => number
}

/**
 * Returns the JSON object of a successful response. Throws PlatformError otherwise: refused if the
 * response is definite, ambiguous if the request may have been executed, unreachable if it was
 * never sent.
 */
export function readResponse(result: HttpResult, context: ResponseContext): JsonObject {
  if (result.kind === 'not_sent') throw failureWithoutDetails('unreachable', null, result.cause)
  if (result.kind === 'lost') throw failureWithoutDetails('ambiguous', result.status, result.cause)
  const json = parseObject(result.body)
  const hasCode = numberOf(objectOf(json?.error).code) !== null
  if (hasCode || result.status >= 300) throw platformFailure(result, json?.error, context)
  if (json === null || result.status < 200)
    throw failureWithoutDetails('ambiguous', result.status, 'unreadable_answer')
  return json
}

/**
 * Returns the error for a broken connection or a response without an error object. `cause` is our
 * own code for it.
 */
export function failureWithoutDetails(
  outcome: 'unreachable' | 'ambiguous',
  httpStatus: number | null,
  cause: string,
): PlatformError {
  return new PlatformError({
    outcome,
    platformCode: null,
    subcode: null,
    httpStatus,
    retryClass: outcome === 'unreachable' ? 'again' : 'ambiguous',
    retryAfterMs: null,
    details: cause,
    traceId: null,
    platformMessage: null,
  })
}

function platformFailure(
  result: HttpResult & { kind: 'answered' },
  error: unknown,
  context: ResponseContext,
): PlatformError {
  const graphError = objectOf(error)
  const code = numberOf(graphError.code)
  const subcode = numberOf(graphError.error_subcode)
  const { message, error_data, error_user_msg } = graphError
  const said = [message, objectOf(error_data).details ?? error_data, error_user_msg].map(wordOf)
  const retryClass = classify({
    code,
    subcode,
    httpStatus: result.status,
    text: said.join(' '),
  })
  const redacted = [context.accessToken, ...(context.secrets ?? [])].filter(
    (secret) => secret !== '',
  )
  const text = (value: unknown) =>
    redacted
      .reduce<string | undefined>(
        (redactedText, secret) => redactedText?.replaceAll(secret, '[token]'),
        wordOf(value) ?? undefined,
      )
      ?.slice(0, MAX_TEXT)
      .toWellFormed() ?? null
  return new PlatformError({
    outcome: retryClass === 'ambiguous' ? 'ambiguous' : 'refused',
    platformCode: code,
    subcode,
    httpStatus: result.status,
    retryClass,
    retryAfterMs: retryAfterMs(result.headers, context.nowMs()),
    details:
      text(objectOf(graphError.error_data).details) ??
      text(graphError.error_data) ??
      text(graphError.error_user_msg),
    traceId: text(graphError.fbtrace_id),
    platformMessage: text(graphError.message) ?? text(error),
  })
}

function parseObject(body: Buffer): JsonObject | null {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'))
    return isObject(json) ? json : null
  } catch {
    return null
  }
}

/**
 * Returns the pause the platform requests in milliseconds, or `null`. Reads `Retry-After` (seconds
 * or a date, RFC 9110), otherwise the longest `estimated_time_to_regain_access` of
 * `X-Business-Use-Case-Usage`, in minutes.
 */
function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const ms =
    retryAfterHeaderMs(headers['retry-after'], nowMs) ??
    usageHeaderMs(headers['x-business-use-case-usage'])
  return ms === null ? null : Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS)
}

function retryAfterHeaderMs(header: string | undefined, nowMs: number): number | null {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

function usageHeaderMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  const usage = parseObject(Buffer.from(header))
  const minutes = Object.values(usage ?? {})
    .flatMap((entries) => [...listOf(entries)])
    .map((entry) => numberOf(objectOf(entry).estimated_time_to_regain_access) ?? 0)
  const longest = Math.max(0, ...minutes)
  return longest === 0 ? null : longest * 60_000
}
