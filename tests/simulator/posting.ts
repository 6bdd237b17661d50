import { hearIn } from './hearing'
import { platformJson, signatureOf } from './signing'
import type { World } from './world'

/** How a body is posted when it should not be posted right. */
export type PostOptions = {
  /** Signs with another secret. */
  secret?: string
  /** The signature header as it is; null leaves it out. */
  signature?: string | null
  headers?: Record<string, string>
  /** A path (and query) in place of the callback's. */
  path?: string
  deadlineMs?: number
}

/** What the callback answered; `json` is undefined when the answer is no JSON. */
export type Posted = { status: number; text: string; json: unknown; headers: Headers }

function callbackOf(world: World): string {
  if (world.callback.url === undefined)
    throw new Error('No callback is set: give callbackUrl to startSimulator or call setCallback')
  return world.callback.url
}

/**
 * Posts a body to the callback, once and at once; a string goes as it is. Throws when there is no
 * answer.
 */
export async function postRaw(world: World, body: unknown, options: PostOptions): Promise<Posted> {
  const text = typeof body === 'string' ? body : platformJson(body)
  hearIn(world, typeof body === 'string' ? parsed(body) : body)
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

/** Asks the callback to prove itself with the verify token (platform document 1.1). */
export const verify = (
  world: World,
  verifyToken: string,
): Promise<{ verified: boolean; status: number }> =>
  handshake(callbackOf(world), verifyToken, String(1_158_201_444 + world.log.total))

/** Asks any address to prove itself: it must give the challenge back. */
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
