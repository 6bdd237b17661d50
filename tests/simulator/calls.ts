import { Timers } from './timers'

/**
 * Which of the platform's edges a call was for; `unexpected` is a path the simulator does not play.
 */
export type Route =
  | 'messages'
  | 'read'
  | 'phone'
  | 'phone_numbers'
  | 'subscribed_apps'
  | 'media'
  | 'media_bytes'
  | 'block_users'
  | 'qr_codes'
  | 'conversational_automation'
  | 'commerce_settings'
  | 'waba'
  | 'phone_settings'
  | 'register'
  | 'profile'
  | 'encryption'
  | 'debug_token'
  | 'oauth'
  | 'uploads'
  | 'flows'
  | 'flow'
  | 'flow_assets'
  | 'flow_publish'
  | 'flow_deprecate'
  | 'flow_json'
  | 'templates'
  | 'template'
  | 'upload_bytes'
  | 'unexpected'

/** One call that came in, as it came in, and what was answered. */
export type Call = {
  index: number
  /** Milliseconds since 1970, by the simulator's clock. */
  at: number
  route: Route
  method: string
  path: string
  query: string
  version: string | undefined
  /** The phone number id or WABA id of the path. */
  object: string | undefined
  token: string | undefined
  headers: Record<string, string>
  /** The parsed body, the text itself when it is no JSON, undefined when there is none. */
  body: unknown
  /** Whom an accepted message is for: wa_id, user id or group id. */
  recipient: string | undefined
  /** The id an accepted message got. */
  wamid: string | undefined
  /** Undefined until it is answered; `lost` when the connection was cut in place of an answer. */
  answer: { status: number; body: unknown; lost: boolean } | undefined
}

/** Which calls are meant; nothing said means every call. */
export type CallFilter = {
  route?: Route
  object?: string
  recipient?: string
  accepted?: boolean
  where?: (call: Call) => boolean
}

/** How long to wait at most, in milliseconds of real time. */
export type Deadline = { deadlineMs?: number }

type Waiter = { check: () => boolean; fail: (error: Error) => void }

/** True when the call is one of those meant. */
export function matches(call: Call, filter: CallFilter): boolean {
  if (filter.route !== undefined && call.route !== filter.route) return false
  if (filter.object !== undefined && call.object !== filter.object) return false
  if (filter.recipient !== undefined && call.recipient !== filter.recipient) return false
  if (filter.accepted !== undefined && (call.wamid !== undefined) !== filter.accepted) return false
  return filter.where?.(call) ?? true
}

/**
 * Promises that resolve when something has become true, looked at again on every event; none waits
 * without a deadline.
 */
export class Waits {
  readonly #waiters = new Set<Waiter>()
  readonly #timers = new Timers()

  /**
   * Resolves as soon as `read` gives a value; rejects with `describe` when the deadline passes
   * first.
   */
  until<T>(read: () => T | undefined, deadlineMs: number, describe: () => string): Promise<T> {
    const first = read()
    if (first !== undefined) return Promise.resolve(first)
    const promise = new Promise<T>((resolve, reject) => {
      const end = (finish: () => void): void => {
        cancel()
        this.#waiters.delete(waiter)
        finish()
      }
      const waiter: Waiter = {
        check: () => {
          const value = read()
          if (value !== undefined) end(() => resolve(value))
          return value !== undefined
        },
        fail: (error) => end(() => reject(error)),
      }
      const cancel = this.#timers.after(deadlineMs, () =>
        waiter.fail(new Error(`${describe()} (after ${deadlineMs} ms)`)),
      )
      this.#waiters.add(waiter)
    })
    promise.catch(() => undefined)
    return promise
  }

  /** Something happened: every waiter looks again. */
  changed(): void {
    for (const waiter of this.#waiters) waiter.check()
  }

  /** Nothing will happen any more: every waiter is told so. */
  stop(): void {
    for (const waiter of this.#waiters)
      waiter.fail(new Error('The simulator was stopped while something waited for it'))
    this.#timers.clear()
  }
}

/** The calls that came in, newest last, at most `limit` of them. */
export class CallLog {
  readonly #calls: Call[] = []
  readonly #waits: Waits
  readonly #limit: number
  #total = 0
  readonly #listeners = new Set<(call: Call) => void>()

  constructor(waits: Waits, limit: number) {
    this.#waits = waits
    this.#limit = limit
  }

  /** The calls still kept, oldest first. */
  get all(): readonly Call[] {
    return this.#calls
  }

  /** How many calls came in since the start or the last reset, kept or not. */
  get total(): number {
    return this.#total
  }

  /** Takes a call in; `arrived` tells those who wait. */
  add(call: Omit<Call, 'index' | 'recipient' | 'wamid' | 'answer'>): Call {
    const entry: Call = {
      ...call,
      index: this.#total,
      recipient: undefined,
      wamid: undefined,
      answer: undefined,
    }
    this.#total += 1
    this.#calls.push(entry)
    if (this.#calls.length > this.#limit * 2)
      this.#calls.splice(0, this.#calls.length - this.#limit)
    return entry
  }

  /** Begins with calls another simulator took. */
  takeOver(calls: readonly Call[]): void {
    for (const call of calls) this.#calls.push({ ...call })
    this.#total = this.#calls.length
  }

  /** Tells those who wait that a call came in, was taken, or was answered. */
  arrived(call: Call): void {
    for (const listener of this.#listeners) listener(call)
    this.#waits.changed()
  }

  /** Is called for every call that comes in. Returns how to stop that. */
  listen(listener: (call: Call) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Waits until at least n calls of the kind meant came in, counting those still kept; gives the
   * first n.
   */
  wait(n: number, filter: CallFilter & Deadline): Promise<Call[]> {
    const seen = new Set(this.#calls.filter((call) => matches(call, filter)))
    const stop = this.listen((call) => {
      if (matches(call, filter)) seen.add(call)
    })
    const describe = (): string =>
      `Waited for ${n} calls ${JSON.stringify(filter)}, ${seen.size} came in, ${this.#total} of any kind`
    const first = (): Call[] | undefined => (seen.size >= n ? [...seen].slice(0, n) : undefined)
    const waiting = this.#waits.until(first, filter.deadlineMs ?? 5000, describe).finally(stop)
    waiting.catch(() => undefined)
    return waiting
  }

  /** Forgets everything. */
  clear(): void {
    this.#calls.length = 0
    this.#total = 0
  }
}
