import { openWindowsIn } from './open-windows'
import { platformJson, signatureOf } from './signing'
import type { World } from './world'

/** Deviations from a correctly posted webhook. */
export type PostOptions = {
  /** Signs with this secret instead. */
  secret?: string
  /** Raw signature header; null omits it. */
  signature?: string | null
  headers?: Record<string, string>
  /** Path and query instead of the callback's. */
  path?: string
  deadlineMs?: number
}

/** Response of the callback. `json` is undefined if it is not JSON. */
export type Posted = { status: number; text: string; json: unknown; headers: Headers }

function callbackOf(world: World): string {
  if (world.callback.url === undefined)
    throw new Error('No callback is set: give callbackUrl to startSimulator or call setCallback')
  return world.callback.url
}

/**
 * Posts a body to the callback once and immediately. A string is sent unchanged. Throws if there is
 * no response.
 */
export async function postRaw(world: World, body: unknown, options: PostOptions): Promise<Posted> {
  const text = typeof body === 'string' ? body : platformJson(body)
  openWindowsIn(world, typeof body === 'string' ? parsed(body) : body)
  const url =
    options.path === undefined ? callbackOf(world) : new URL(options.path, callbackOf(world)).href
  const signature =
    options.signature === undefined
      ? signatureOf(options.secret ?? world.callback.secret, text)
      : options.signature
  const signed: Record<string, string> =
    signature === null ? {} : { 'x-hub-signature-256': signature }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      ...signed,
      ...options.headers,
    },
    body: text,
    redirect: 'manual',
    signal: AbortSignal.timeout(options.deadlineMs ?? 10_000),
  })
  const answered = await response.text()
  return {
    status: response.status,
    text: answered,
    json: parsed(answered),
    headers: response.headers,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Verifies the callback with the verify token (platform document 1.1). */
export const verify = (
  world: World,
  verifyToken: string,
): Promise<{ verified: boolean; status: number }> =>
  handshake(callbackOf(world), verifyToken, String(1_158_201_444 + world.log.total))

/** Verifies any URL: it must return the challenge. */
export async function handshake(
  address: string,
  verifyToken: string,
  challenge: string,
): Promise<{ verified: boolean; status: number }> {
  const url = new URL(address)
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.verify_token', verifyToken)
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
  return {
    verified: response.status === 200 && (await response.text()) === challenge,
    status: response.status,
  }
}
