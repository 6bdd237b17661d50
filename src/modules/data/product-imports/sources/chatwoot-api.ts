import { MINUTE_MS, SECOND_MS, type Clock } from '../../../../lib/clock'
import { parseExceptions } from '../../../../lib/egress'
import { fullJitterMs } from '../../../../lib/retry'
import {
  createGuardedFetch,
  FetchRefusal,
  type GuardedAnswer,
  type GuardedFetch,
} from '../../../../infra/guarded-fetch'
import { ProductImportError } from '../model'

/** Largest answer that is read, bytes: far more than a page has. */
const MAX_ANSWER = 32 * 1_024 * 1_024
const TIMEOUT_MS = 30 * SECOND_MS
const MAX_REDIRECTS = 3

/** Calls of one request, the first included, and the pauses between them without `Retry-After`. */
const ATTEMPTS = 8
/** Calls to an address at which nobody ever answered: it may be mistyped. */
const FIRST_ATTEMPTS = 3
const PAUSE = { baseMs: SECOND_MS, capMs: MINUTE_MS }
/** Longest pause that a server may ask for. */
const MAX_PAUSE_MS = 10 * MINUTE_MS

/** Where Chatwoot is, and what shows who we are. */
export interface ChatwootAccess {
  url: URL
  account: string
  token: string
  /** The proxy that outgoing requests take; `null` for none. */
  proxy: URL | null
  clock: Clock
  random: () => number
}

/**
 * Creates a client that reaches Chatwoot itself wherever the operator says it is, and its files
 * elsewhere only at public addresses. The token goes to its own host only.
 */
export function chatwootApi({ url, account, token, proxy, clock, random }: ChatwootAccess) {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const exceptions = parseExceptions(`${url.hostname}:${port}`)
  if (exceptions === null || !['http:', 'https:'].includes(url.protocol))
    throw new ProductImportError(`${url.href} is not an address of Chatwoot.`)
  const fetchGuarded = createGuardedFetch({ exceptions, proxy })
  let isKnown = false
  const base = `${url.href.replace(/\/$/, '')}/api/v1/accounts/${encodeURIComponent(account)}`
  return {
    base,
    /** Returns the JSON of a path below the account. Throws ProductImportError. */
    async get(path: string): Promise<unknown> {
      const answer = await patiently({ random, isKnown }, () =>
        getJson(fetchGuarded, { url: `${base}${path}`, token, clock }),
      )
      isKnown = true
      return answer
    },
    close: () => fetchGuarded.close(),
    /** Downloads a file, without the token. Throws FetchRefusal. */
    download: (address: string, maxBytes: number): Promise<GuardedAnswer> =>
      fetchGuarded(address, { maxBytes, totalTimeoutMs: MINUTE_MS, maxRedirects: MAX_REDIRECTS }),
  }
}

/** It is worth a further try, after a pause that the server may have named. */
class TryAgain extends Error {
  constructor(
    readonly why: string,
    readonly pauseMs: number | null,
    readonly isUnreachable = false,
  ) {
    super(why)
  }
}

async function patiently<T>(
  { random, isKnown }: { random: () => number; isKnown: boolean },
  call: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error
      const isStrange = error.isUnreachable && !isKnown
      if (isStrange && attempt === FIRST_ATTEMPTS)
        throw new ProductImportError(
          `Chatwoot ${error.why}. Is --url the address that you see in the browser, and can this machine reach it?`,
        )
      if (attempt === ATTEMPTS)
        throw new ProductImportError(
          `Chatwoot ${error.why}, also after ${ATTEMPTS} tries. Run the same command again later: it goes on.`,
        )
      await Bun.sleep(error.pauseMs ?? fullJitterMs({ attempt, ...PAUSE, random }))
    }
}

async function getJson(
  fetchGuarded: GuardedFetch,
  { url, token, clock }: { url: string; token: string; clock: Clock },
): Promise<unknown> {
  let text: string
  try {
    const answer = await fetchGuarded(url, {
      ...{ maxBytes: MAX_ANSWER, totalTimeoutMs: TIMEOUT_MS, maxRedirects: MAX_REDIRECTS },
      sends: { method: 'GET', headers: { api_access_token: token }, body: null },
      ...{ takesAnyStatus: true, keepsConnection: true },
    })
    try {
      refuseStatus(answer, clock)
      text = await textIn(answer.bytes)
    } finally {
      answer.close()
    }
  } catch (error) {
    if (error instanceof FetchRefusal && ['unreachable', 'timeout'].includes(error.kind))
      throw new TryAgain(error.reason, null, error.kind === 'unreachable')
    if (error instanceof FetchRefusal)
      throw new ProductImportError(`The address of Chatwoot ${error.reason}.`)
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProductImportError(
      'Chatwoot did not answer with JSON. Is --url the address that you see in the browser, without a path?',
    )
  }
}

async function textIn(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of bytes) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

function refuseStatus({ status, headers }: GuardedAnswer, clock: Clock): void {
  if (status >= 200 && status < 300) return
  if (status === 401)
    throw new ProductImportError(
      'Chatwoot refuses the token, or it is not one of this account. Copy the access token of an ' +
        'administrator from Profile settings, and check --account.',
    )
  if (status === 403)
    throw new ProductImportError('The token is not of an administrator of this account.')
  if (status === 404)
    throw new ProductImportError(
      'Chatwoot has no such account. The number is in the address of its pages: /app/accounts/NUMBER.',
    )
  if (status === 429 || status >= 500)
    throw new TryAgain(`answered ${status}`, pauseOf(headers['retry-after'], clock))
  throw new ProductImportError(`Chatwoot answered ${status}.`)
}

/** Returns the pause that a server asks for, in milliseconds, or `null`. */
function pauseOf(written: string | undefined, clock: Clock): number | null {
  const ms = /^\d+$/.test(written ?? '')
    ? Number(written) * SECOND_MS
    : Date.parse(written ?? '') - clock.nowMs()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_PAUSE_MS)
}
