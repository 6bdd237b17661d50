import type { Failure } from './errors'
import type { Route } from './calls'

/** A message status of the platform. */
export type StatusName = 'sent' | 'delivered' | 'read' | 'played' | 'failed'

/** Faults of a single call. */
export type Faults = {
  /** Delays the response by this many milliseconds, or until this is resolved. */
  slow: number | Promise<void>
  /** Responds with this error without accepting the call. */
  fail: Failure
  /** Responds with an HTML page and this HTTP status without accepting the call. */
  html: number
  /** Responds with success and this many bytes of noise without accepting the call. */
  noise: number
  /** Responds with success and this body without accepting the call. */
  answer: Record<string, unknown>
  /** Accepts the message, then cuts the connection instead of responding. */
  loseAnswer: boolean
  /** Sends these status webhooks instead of the usual ones. An empty list sends none. */
  statuses: readonly StatusName[]
  /** Delivers these status webhooks before the HTTP response. */
  early: readonly StatusName[]
  /** Accepts the message and reports a `failed` status later. */
  failLater: Failure
  /** Responds with this wa_id instead of the dialed number. */
  waId: string
  /** Reports these facts of a file instead of the real ones. */
  mediaFacts: Record<string, unknown>
  /** Redirects a file download to this URL. */
  redirect: string
}

/** Calls that a fault applies to. Defaults to the next call to `/messages`. */
export type Scope = {
  /** Phone number ID (or business account ID) of the path. */
  phone?: string
  /** wa_id, user ID or group ID of the recipient. Only digits for numbers. */
  recipient?: string
  /** Number of calls, Infinity for all until `clear()`. Defaults to 1. */
  times?: number
  /** The edge, `any` for all. Defaults to `messages`. Read receipts are `read`. */
  route?: Route | 'any'
}

/** An active fault: its remaining calls, and how to remove it. */
export type FaultHandle = { readonly remaining: number; clear(): void }

type Entry = { kind: keyof Faults; faults: Partial<Faults>; scope: Scope; remaining: number }

/** A call that faults may apply to. */
export type FaultTarget = {
  route: Route
  object: string | undefined
  recipients: readonly string[]
}

const LIMIT = 10_000

/**
 * Active faults, oldest first. At most one of each kind applies to a call: the oldest matching one.
 */
export class FaultPlan {
  #entries: Entry[] = []

  /** Adds a fault. Throws when too many are active. */
  add<K extends keyof Faults>(kind: K, value: Faults[K], scope: Scope = {}): FaultHandle {
    if (this.#entries.length >= LIMIT) throw new Error(`More than ${LIMIT} faults are in force`)
    const faults: Partial<Faults> = {}
    faults[kind] = value
    const entry: Entry = { kind, faults, scope, remaining: scope.times ?? 1 }
    this.#entries.push(entry)
    return {
      get remaining(): number {
        return entry.remaining
      },
      clear: () => {
        entry.remaining = 0
        this.#entries = this.#entries.filter((other) => other !== entry)
      },
    }
  }

  /** Returns the faults for this call and uses one of each up. */
  take(target: FaultTarget): Partial<Faults> {
    let taken: Partial<Faults> = {}
    for (const entry of this.#entries) {
      if (entry.remaining <= 0 || taken[entry.kind] !== undefined || !applies(entry.scope, target))
        continue
      entry.remaining -= 1
      taken = { ...taken, ...entry.faults }
    }
    this.#entries = this.#entries.filter((entry) => entry.remaining > 0)
    return taken
  }

  /** Removes all faults. */
  clear(): void {
    this.#entries = []
  }
}

function applies(scope: Scope, target: FaultTarget): boolean {
  const route = scope.route ?? 'messages'
  if (route !== 'any' && route !== target.route) return false
  if (scope.phone !== undefined && scope.phone !== target.object) return false
  return scope.recipient === undefined || target.recipients.includes(scope.recipient)
}
