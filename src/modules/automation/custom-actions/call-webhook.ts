import { SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { FetchRefusal, type GuardedAnswer } from '../../../infra/guarded-fetch'
import { actionHeaders } from './headers'
import type { METHODS } from './table'
import { contentTypeOf, isJsonType, type ActionRow } from './validate'
import {
  fillJson,
  fillUrl,
  fillVariables,
  forHeader,
  forText,
  forUrl,
  forXml,
  type ActionValues,
} from './variables'

const TIMEOUT_MS = 10 * SECOND_MS

/** Bytes of a response that are read; the rest is left. */
const MAX_READ = 64 * 1_024

const MAX_REDIRECTS = 3

/** How a call ended: the response, or why there is none. */
export type CallOutcome = { status: number; body: unknown } | { failure: string }

/** A request that a webhook action sends. */
export interface ActionRequest {
  url: string
  method: (typeof METHODS)[number]
  headers: Record<string, string>
  body: string | null
}

/**
 * Returns the request of a webhook action with the values of a contact; `null` if one of them cannot
 * be part of the address.
 */
export function requestOf(ctx: Ctx, row: ActionRow, values: ActionValues): ActionRequest | null {
  const url = fillUrl(row.config.url, values)
  if (url === null || !('method' in row.config)) return null
  const { method, body } = row.config
  const stored = actionHeaders.open(ctx, row)
  const type = contentTypeOf(stored)
  const headers = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name.toLowerCase(),
      fillVariables(value, values, forHeader),
    ]),
  )
  const hasBody = method !== 'GET'
  return {
    url,
    method,
    headers: { ...(hasBody ? { 'content-type': type } : {}), ...headers },
    body: hasBody ? bodyOf(row, body, type, values) : null,
  }
}

/** Sends the request of a webhook action. Never throws because of the other server. */
export async function callWebhook(ctx: Ctx, request: ActionRequest | null): Promise<CallOutcome> {
  if (request === null) return { failure: OTHER_PATH }
  const { url, ...sends } = request
  try {
    const answer = await ctx.fetchGuarded(url, {
      maxBytes: Infinity,
      totalTimeoutMs: TIMEOUT_MS,
      maxRedirects: MAX_REDIRECTS,
      takesAnyStatus: true,
      sends,
    })
    return { status: answer.status, body: await readStart(answer) }
  } catch (error) {
    if (error instanceof FetchRefusal) return { failure: FAILURES[error.kind] }
    throw error
  }
}

/** Said about a URL whose path the values of the contact would change. */
export const OTHER_PATH = 'A value of the contact cannot be part of the address.'

const FAILURES: Record<FetchRefusal['kind'], string> = {
  refused_address: 'The address is not allowed.',
  unreachable: 'The server could not be reached.',
  timeout: 'The server did not answer within 10 seconds.',
  redirects: 'The server redirected too often.',
  status: 'The server answered with an error.',
  too_large: 'The answer is too large.',
  encoded: 'The answer is compressed, which was not asked for.',
}

function bodyOf(
  { id, name }: ActionRow,
  template: string | null,
  type: string,
  values: ActionValues,
): string {
  if (template === null) return JSON.stringify({ action: { id, name }, ...values })
  if (isJsonType(type)) return JSON.stringify(fillJson(JSON.parse(template), values))
  return fillVariables(template, values, escapeOf(type))
}

/** Returns how values are escaped in a body of a type other than JSON. */
function escapeOf(type: string): (value: string) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return forUrl
  return /^(?:text|application)\/(?:[\w.-]+\+)?(?:xml|html)\b/i.test(type) ? forXml : forText
}

/** Returns the beginning of a response: JSON if it is, otherwise text. */
async function readStart(answer: GuardedAnswer): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.bytes) {
    pieces.push(piece.subarray(0, MAX_READ - size))
    size += piece.length
    if (size >= MAX_READ) break
  }
  answer.close()
  const text = Buffer.concat(pieces).toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text === '' ? null : text.replaceAll('\0', '')
  }
}
