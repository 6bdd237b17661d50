import { errorOf, SwitchboardError } from './error'
import { KEYED, OPERATIONS } from './operations.gen'
import type { OperationName, RequestOptions } from './shapes'

/** Where a client sends its requests, as whom, and how patiently. */
export interface Settings {
  /** Address of the server, such as `https://switchboard.example.com`. Else `SWITCHBOARD_URL` of
   * the environment. */
  url?: string
  /** An API key. Else `SWITCHBOARD_KEY` of the environment. */
  key?: string
  /** An access token of a person instead, or a function that returns the present one. */
  token?: string | (() => string | Promise<string>)
  /** For super admins: the organization to act in. */
  organizationId?: string
  /** Milliseconds that one attempt may take: 30,000, and 300,000 with a form. */
  timeoutMs?: number
  /** Milliseconds after which a call is not repeated any more: 60,000. `Infinity` never gives up. */
  giveUpAfterMs?: number
}

/** Settings whose address is known. */
export type Connection = Settings & { url: string }

/** The values of a request, as far as no type says which. */
export interface LooseInput extends RequestOptions {
  query?: object | undefined
  body?: unknown
  form?: object | undefined
}

const TIMEOUT_MS = 30_000
const FORM_TIMEOUT_MS = 300_000
const GIVE_UP_AFTER_MS = 60_000
/** The first pause is up to this long, each further one up to twice as long as the one before. */
const PAUSE_MS = 200
const MAX_PAUSE_MS = 60_000

/** Waits. Throws the reason of a signal that ends it. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const end = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

function addressOf(base: string, path: string, input: LooseInput): string {
  const values = input as Record<string, unknown>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || value === '') throw new TypeError(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      if (one !== undefined && one !== null) search.append(name, String(one))
  const text = search.toString()
  return `${base.replace(/\/+$/, '')}${filled}${text === '' ? '' : `?${text}`}`
}

function formOf(fields: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (value instanceof Blob) form.set(name, value)
    else form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form
}

async function headersOf(settings: Connection, name: OperationName, input: LooseInput) {
  const headers = new Headers({ accept: 'application/json, */*;q=0.5' })
  const token = typeof settings.token === 'function' ? await settings.token() : settings.token
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  else if (settings.key !== undefined) headers.set('x-api-key', settings.key)
  if (settings.organizationId !== undefined)
    headers.set('x-organization-id', settings.organizationId)
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  if (input.ifMatch !== undefined) headers.set('if-match', `"${input.ifMatch}"`)
  const key = input.idempotencyKey ?? (KEYED.has(name) ? crypto.randomUUID() : undefined)
  if (key !== undefined) headers.set('idempotency-key', key)
  return headers
}

/** Whether an operation takes effect once, however often it is sent. */
function isRepeatable(name: OperationName, { repeat, ifMatch }: LooseInput): boolean {
  if (repeat !== undefined) return repeat
  const method = OPERATIONS[name].split(' ')[0]
  // A PUT with a condition would be refused because of its own first effect, and a DELETE not found.
  return method === 'GET' || (method === 'PUT' && ifMatch === undefined) || KEYED.has(name)
}

/**
 * Sends a request until it is answered for good, and hands the answer to `read`. After 429 nothing
 * was done, so everything is sent again; after a lost answer or an error of the server only what
 * takes effect once. Pauses as long as `Retry-After` says, or a growing random time. Throws
 * SwitchboardError.
 */
export async function request<T>(
  settings: Connection,
  name: OperationName,
  input: LooseInput,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const giveUpMs = Date.now() + (settings.giveUpAfterMs ?? GIVE_UP_AFTER_MS)
  const [method = '', path = ''] = OPERATIONS[name].split(' ')
  const url = addressOf(settings.url, path, input)
  const headers = await headersOf(settings, name, input)
  const body =
    input.form === undefined
      ? input.body === undefined
        ? null
        : JSON.stringify(input.body)
      : formOf(input.form)
  const timeoutMs =
    input.timeoutMs ?? settings.timeoutMs ?? (input.form ? FORM_TIMEOUT_MS : TIMEOUT_MS)
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt(
        url,
        { method, headers, body },
        { timeoutMs, signal: input.signal },
        read,
      )
    } catch (error) {
      if (!(error instanceof SwitchboardError)) throw error
      const again = error.status === 429 || (error.isTemporary && isRepeatable(name, input))
      const waitMs = Math.max((error.retryAfterS ?? 0) * 1_000, pauseMs * Math.random())
      if (!again || Date.now() + waitMs > giveUpMs) throw error
      await sleep(waitMs, input.signal)
    }
  }
}

async function attempt<T>(
  url: string,
  init: { method: string; headers: Headers; body: string | FormData | null },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  read: (response: Response) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const ending = new AbortController()
  const end = (): void => ending.abort(signal?.reason)
  signal?.addEventListener('abort', end, { once: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    ending.abort()
  }, timeoutMs)
  try {
    // A redirect would take the credential to another address.
    const response = await fetch(url, { ...init, signal: ending.signal, redirect: 'manual' })
    if (!response.ok) throw await errorOf(response)
    return await read(response)
  } catch (error) {
    if (error instanceof SwitchboardError) throw error
    signal?.throwIfAborted()
    throw isLate
      ? new SwitchboardError('timeout', `No answer within ${timeoutMs} ms.`, { cause: error })
      : new SwitchboardError('no_answer', 'The server did not answer.', { cause: error })
  } finally {
    clearTimeout(timer)
    // A file is read after this; the signal of the caller still ends it.
    if (ending.signal.aborted) signal?.removeEventListener('abort', end)
  }
}
