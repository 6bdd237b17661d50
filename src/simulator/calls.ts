import { Timers } from './timers'

/**
 * Edge of the platform that a call is for. `unexpected` is a path the simulator does not support.
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
  | 'qr_image'
  | 'profile_picture'
  | 'commerce_settings'
  | 'username'
  | 'settings'
  | 'call_permissions'
  | 'thread_control'
  | 'routing_roles'
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
  | 'template_archive'
  | 'upload_bytes'
  | 'new_phone_number'
  | 'request_code'
  | 'verify_code'
  | 'phone_app_data'
  | 'signup_dialog'
  | 'unexpected'

/** A received call and its response. */
export type Call = {
  index: number
  /** Epoch milliseconds by the simulator's clock. */
  at: number
  route: Route
  method: string
  path: string
  query: string
  version: string | undefined
  /** Phone number ID or business account ID from the path. */
  object: string | undefined
  token: string | undefined
  headers: Record<string, string>
  /** Parsed body; the raw text if it is not JSON; undefined without a body. */
  body: unknown
  /** Recipient of an accepted message: wa_id, user ID or group ID. */
  recipient: string | undefined
  /** ID of an accepted message. */
  wamid: string | undefined
  /** Undefined until the call is answered. `lost` means the connection was cut instead. */
  answer: { status: number; body: unknown; lost: boolean } | undefined
}

/** Selects calls. An empty filter selects all. */
export type CallFilter = {
  route?: Route
  object?: string
  recipient?: string
  accepted?: boolean
  where?: (call: Call) => boolean
}

/** Maximum wait in milliseconds of real time. */
export type Deadline = { deadlineMs?: number }

type Waiter = { check: () => boolean; fail: (error: Error) => void }

/** Reports whether a call matches a filter. */
export function matches(call: Call, filter: CallFilter): boolean {
  if (filter.route !== undefined && call.route !== filter.route) return false
  if (filter.object !== undefined && call.object !== filter.object) return false
  if (filter.recipient !== undefined && call.recipient !== filter.recipient) return false
  if (filter.accepted !== undefined && (call.wamid !== undefined) !== filter.accepted) return false
  return filter.where?.(call) ?? true
}

/**
 * Promises that resolve when a condition holds. Conditions are checked on every event, and every
 * wait has a deadline.
 */
export class Waits {
  readonly #waiters = new Set<Waiter>()
  readonly #timers = new Timers()

  /** Resolves with the first defined value of `read`. Rejects with `describe` at the deadline. */
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

  /** Notifies all waiters of an event. */
  changed(): void {
    for (const waiter of this.#waiters) waiter.check()
  }

  /** Rejects all waiters, because no more events follow. */
  stop(): void {
    for (const waiter of this.#waiters)
      waiter.fail(new Error('The simulator was stopped while something waited for it'))
    this.#timers.clear()
  }
}

/** Log of received calls, newest last, at most `limit`. */
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

  /** The kept calls, oldest first. */
  get all(): readonly Call[] {
    return this.#calls
  }

  /** Number of calls since the start or the last reset, including dropped ones. */
  get total(): number {
    return this.#total
  }

  /** Adds a call. Call `arrived` to notify waiters. */
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

  /** Starts with the calls of another simulator. */
  takeOver(calls: readonly Call[]): void {
    for (const call of calls) this.#calls.push({ ...call })
    this.#total = this.#calls.length
  }

  /** Notifies waiters that a call was received, accepted or answered. */
  arrived(call: Call): void {
    for (const listener of this.#listeners) listener(call)
    this.#waits.changed()
  }

  /** Calls `listener` for every received call. Returns a function that stops it. */
  listen(listener: (call: Call) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for at least n matching calls, counting kept ones. Returns the first n. */
  wait(n: number, filter: CallFilter & Deadline): Promise<Call[]> {
    const seen = new Set(this.#calls.filter((call) => matches(call, filter)))
    const stop = this.listen((call) => {
      if (matches(call, filter)) seen.add(call)
    })
    const describe = (): string =>
      `Waited for ${n} calls ${JSON.stringify(filter)}, ${seen.size} came in, ${this.#total} of any kind`
    const first = (): Call[] | undefined => (seen.size >= n ? [...seen].slice(0, n) : undefined)
    const waiting = this.#waits.until(first, filter.deadlineMs ?? 20_000, describe).finally(stop)
    waiting.catch(() => undefined)
    return waiting
  }

  /** Deletes all calls. */
  clear(): void {
    this.#calls.length = 0
    this.#total = 0
  }
}
