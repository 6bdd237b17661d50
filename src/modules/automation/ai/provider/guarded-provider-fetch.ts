import type { Ctx } from '../../../../infra/ctx'
import type { OutgoingRequest } from '../../../../infra/guarded-fetch'

/** Largest answer that is read (`automation` 6.4). */
const MAX_BYTES = 1_024 * 1_024

/** Statuses whose response has no body. */
const BODILESS = new Set([204, 205, 304])

/** Headers that the guarded client sets itself. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'user-agent',
])

/** Limits of one request. */
export interface GuardedFetchOptions {
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * Returns a `fetch` for a provider's client that goes through the guarded client: public addresses
 * only, at most 1 MiB, no redirects, within a time limit. It throws FetchRefusal.
 */
export const guardedProviderFetch =
  (ctx: Pick<Ctx, 'fetchGuarded'>, { timeoutMs, signal }: GuardedFetchOptions) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = await ctx.fetchGuarded(input instanceof Request ? input.url : String(input), {
      maxBytes: MAX_BYTES,
      totalTimeoutMs: timeoutMs,
      maxRedirects: 0,
      signal,
      takesAnyStatus: true,
      sends: {
        method: (init.method ?? 'GET') as OutgoingRequest['method'],
        headers: Object.fromEntries(
          [...new Headers(init.headers)].filter(([name]) => !OWN_HEADERS.has(name)),
        ),
        body: typeof init.body === 'string' ? init.body : null,
      },
    })
    const pieces: Uint8Array[] = []
    for await (const piece of answer.bytes) pieces.push(piece)
    return new Response(BODILESS.has(answer.status) ? null : Buffer.concat(pieces), {
      status: answer.status,
      headers: { 'content-type': answer.mimeType ?? 'application/octet-stream' },
    })
  }
