import type { Failure } from './errors'
import type { Route } from './calls'

/** A message status as the platform names it. */
export type StatusName = 'sent' | 'delivered' | 'read' | 'played' | 'failed'

/** Everything that can go wrong, or just differently, with one call. */
export type Faults = {
  /** Answers only after so many milliseconds. */
  slow: number
  /** Refuses with this error; nothing is taken. */
  fail: Failure
  /** Answers an HTML page with this HTTP status; nothing is taken. */
  html: number
  /** Answers so many bytes of noise with success; nothing is done. */
  noise: number
  /** Answers this with success; nothing is done. */
  answer: Record<string, unknown>
  /** Takes the message, then cuts the connection in place of an answer. */
  loseAnswer: boolean
  /** These status webhooks follow in place of the usual ones; an empty list swallows them. */
  statuses: readonly StatusName[]
  /** These status webhooks are delivered before the HTTP answer is given. */
  early: readonly StatusName[]
  /** Takes the message and reports with a `failed` status that it did not arrive. */
  failLater: Failure
  /** Answers this wa_id in place of the number dialled. */
  waId: string
  /** Tells this of a file in place of what is true. */
  mediaFacts: Record<string, unknown>
  /** Sends whoever fetches a file on to this address. */
  redirect: string
}

/** To which calls a fault applies: the next one to `/messages`, unless said otherwise. */
export type Scope = {
  /** Phone number id (or WABA id) of the path. */
  phone?: string
  /** wa_id, user id or group id of the recipient, digits only for numbers. */
  recipient?: string
  /** How many calls; Infinity for all until `clear()`. One unless said. */
  times?: number
  /** The edge; `messages` unless said, `any` for all. Marks of reading are `read`. */
  route?: Route | 'any'
}

/** A fault that was set: how often it still applies, and how to take it back. */
export type FaultHandle = { readonly remaining: number; clear(): void }

type Entry = { kind: keyof Faults; faults: Partial<Faults>; scope: Scope; remaining: number }

/** The call a fault may apply to. */
export type FaultTarget = {
  route: Route
  object: string | undefined
  recipients: readonly string[]
}

const LIMIT = 10_000

/**
 * The faults in force, oldest first. Of each kind at most one applies to a call: the oldest that
 * fits.
 */
export class FaultPlan {
  #entries: Entry[] = []

  /** Sets a fault. Throws when absurdly many are in force already. */
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

  /** The faults that apply to this call; each is used up by one. */
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

  /** Takes every fault back. */
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
