import { errorOf, type ApiError } from './error'
import type { Me, Login, Start, Tokens } from './types.gen'

/**
 * Who is signed in. The access token is kept in memory only. The refresh token is a cookie that
 * scripts cannot read.
 */
export type Session =
  | { phase: 'unknown' }
  | { phase: 'signed-out' }
  | { phase: 'signed-in'; me: Me }

interface Token {
  text: string
  /** On the clock of this page, so that a wrong system clock does not end the session. */
  expiresAtMs: number
}

/** Says that asking for a token is worth a request. Not a secret. */
const HINT = 'signed-in'
/** Refusals of a session that is too old; the browser forgets its cookie at that time. */
const TOO_OLD = ['token_expired', 'no_session']
/** What the answer to a sign-in brings along, so that no other request is needed. */
const WHOLE = ['me', 'start']
/** Lifetime below which a token is renewed before it is used, milliseconds. */
const RENEWAL_MS = 60_000

let session: Session = { phase: 'unknown' }
let token: Token | null = null
let renewing: Promise<boolean> | null = null
/** What the last sign-in or start brought along, until the pages take it. */
let start: Start = {}
/** Whether the last refusal to renew the session had no other cause than its age. */
let isExpired = false
const listeners = new Set<() => void>()
const cleanups = new Set<() => void>()
const departures = new Set<() => void>()
const tabs = new BroadcastChannel('switchboard-session')

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** Calls `listener` after every change of the session. Returns a function that stops it. */
export const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the current session. */
export const currentSession = (): Session => session

/** Hands out what the sign-in or the start brought along, once. */
export function takeStart(): Start {
  const taken = start
  start = {}
  return taken
}

/** Registers work for the end of a session that somebody ended, such as the deletion of drafts. */
export const onSignOut = (cleanup: () => void): void => {
  cleanups.add(cleanup)
}

/** Registers work for the end of a session, and for a change of its organization. */
export const onLeave = (work: () => void): void => {
  departures.add(work)
}

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token.text}` }),
    },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  })

async function dataOf<T>(response: Response): Promise<T> {
  return ((await response.json()) as { data: T }).data
}

/** Stores new tokens and the user they belong to. */
async function take(tokens: Tokens): Promise<void> {
  start = tokens.start ?? start
  token = {
    text: tokens.access_token,
    expiresAtMs: performance.now() + tokens.expires_in * 1_000,
  }
  localStorage.setItem(HINT, '1')
  const me = tokens.me ?? (await loadMe())
  change({ phase: 'signed-in', me })
}

async function loadMe(): Promise<Me> {
  const response = await fetch('/api/me', {
    headers: { authorization: `Bearer ${token?.text ?? ''}` },
  })
  if (!response.ok) throw await errorOf(response)
  return await dataOf<Me>(response)
}

/** Shows a change of the signed-in user that the server is being told. */
export function changeMe(changes: Partial<Me>): void {
  if (session.phase === 'signed-in') change({ ...session, me: { ...session.me, ...changes } })
}

/** Loads the signed-in user again, after a change of profile, role or organization. */
export async function reloadMe(): Promise<void> {
  if (session.phase === 'signed-in') change({ phase: 'signed-in', me: await loadMe() })
}

/** What a sign-in needs: the code only with two-factor authentication. */
export interface SignIn {
  email: string
  password: string
  code?: string
}

/** Signs in. Returns the error of the server, or `null`. Rejects if the server cannot be reached. */
export async function signIn(credentials: SignIn): Promise<ApiError | null> {
  const response = await post('/api/auth/login', {
    ...credentials,
    use_cookie: true,
    include: WHOLE,
  })
  if (!response.ok) return await errorOf(response)
  await take(await dataOf<Login>(response))
  tabs.postMessage('signed-in')
  return null
}

/**
 * Signs the same person in again, who stays in their organization: what is final asks for a sign-in of
 * the last minutes. Returns the error of the server, or `null`.
 */
export async function signInAgain(proof: Omit<SignIn, 'email'>): Promise<ApiError | null> {
  if (session.phase !== 'signed-in') return null
  const { email, organization_id: organizationId } = session.me
  const more = { use_cookie: true, include: ['me'] }
  const response = await post('/api/auth/login', { email, ...proof, ...more })
  if (!response.ok) return await errorOf(response)
  const login = await dataOf<Login>(response)
  if (login.me?.organization_id === organizationId) {
    await take(login)
    return null
  }
  token = { text: login.access_token, expiresAtMs: performance.now() + login.expires_in * 1_000 }
  const body = { organization_id: organizationId, ...more }
  const back = await post('/api/auth/switch-org', body)
  if (!back.ok) return await errorOf(back)
  await take(await dataOf<Tokens>(back))
  return null
}

/** Moves the session to another organization of the user. Throws ApiError. */
export async function switchOrganization(organizationId: string): Promise<void> {
  const body = { organization_id: organizationId, use_cookie: true, include: WHOLE }
  const response = await post('/api/auth/switch-org', body)
  if (!response.ok) throw await errorOf(response)
  for (const leave of departures) leave()
  await take(await dataOf<Tokens>(response))
  tabs.postMessage('switched')
}

async function renew(): Promise<boolean> {
  const include = session.phase === 'signed-in' ? ['me'] : WHOLE
  const response = await post('/api/auth/refresh', { use_cookie: true, include })
  if (response.status >= 500 || response.status === 429) throw await errorOf(response)
  isExpired = !response.ok && TOO_OLD.includes((await errorOf(response)).code)
  if (!response.ok) return false
  await take(await dataOf<Tokens>(response))
  return true
}

/**
 * Gets a new access token with the cookie; one tab at a time. Returns false if the session has
 * ended. Rejects if the server cannot be reached.
 */
export function refreshSession(): Promise<boolean> {
  if (!mayResume()) return Promise.resolve(false)
  renewing ??= navigator.locks.request('switchboard-refresh', renew).finally(() => {
    renewing = null
  })
  return renewing
}

/** Whether there may be a session of an earlier visit. */
export const mayResume = (): boolean => localStorage.getItem(HINT) !== null

/** Continues the session of an earlier visit, if there is one. */
export async function resumeSession(): Promise<void> {
  if (session.phase === 'signed-in') return
  const isSignedIn = await refreshSession()
  if (!isSignedIn) endSession()
}

/** Returns an access token that is valid for at least a minute, or `null`. */
export async function accessToken(): Promise<string | null> {
  if (token !== null && token.expiresAtMs - performance.now() < RENEWAL_MS)
    await refreshSession().catch(() => false)
  return token?.text ?? null
}

/**
 * Forgets the session on this page and everything that belongs to it. What the user was writing
 * when a session became too old waits for their next sign-in.
 */
export function endSession(): void {
  const work = isExpired ? departures : [...departures, ...cleanups]
  const wasSignedIn = session.phase === 'signed-in'
  token = null
  start = {}
  isExpired = false
  localStorage.removeItem(HINT)
  if (wasSignedIn) for (const one of work) one()
  change({ phase: 'signed-out' })
}

/** Signs out here and in all tabs. */
export async function signOut(): Promise<void> {
  // the socket may be closed before the answer is here: then nothing is to be renewed
  localStorage.removeItem(HINT)
  await post('/api/auth/logout', {}).catch(() => null)
  isExpired = false
  endSession()
  tabs.postMessage('signed-out')
}

tabs.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') endSession()
  if (data === 'signed-in' && session.phase === 'signed-out') location.reload()
  if (data === 'switched') location.reload()
})
