import { SECOND_MS, type Clock } from '../../lib/clock'
import { UnavailableError } from '../../lib/errors'

/**
 * A resource with limited concurrency. `room` returns how many may run, and may throw to refuse.
 */
export interface LimitedResource {
  name: string
  room: () => number
  /** Whose work it is, such as an organization: those who wait take turns. Nobody's by default. */
  turnOf?: string
}

/** Lets work start while there is room; the rest waits for other work to end. */
export interface ConcurrencyLimiter {
  /**
   * Waits for a slot at each resource. Resolves with a function that frees the slots. Throws what
   * `room` throws, and UnavailableError if there was no slot until `untilMs`, which defaults to the
   * queue's maximum wait from now. A caller that enters several times passes the same
   * `deadlineMs()`, so that all its waits share one limit.
   */
  enter(places: LimitedResource[], untilMs?: number): Promise<() => void>
  /** Returns until when a caller that arrives now waits, epoch milliseconds. */
  deadlineMs(): number
  /** Returns how many are running at a resource, and how many wait. */
  load(name: string): { underWay: number; waiting: number }
}

/** The maximum wait, and the error after it. */
interface WaitLimit {
  longestWaitMs: number
  refusal: () => UnavailableError
}

const OF_SIGN_INS: WaitLimit = {
  longestWaitMs: 5 * SECOND_MS,
  refusal: () =>
    new UnavailableError('The server is busy with other sign-ins. Try again in a few seconds.'),
}

type Tell = () => void

/** Callers that wait at a resource: in their order, and those of different parties in turns. */
class Line {
  /** By party, in the order of their turns. */
  private readonly parties = new Map<string, Tell[]>()
  size = 0

  add(party: string, tell: Tell): void {
    const own = this.parties.get(party)
    if (own) own.push(tell)
    else this.parties.set(party, [tell])
    this.size += 1
  }

  /** Adds a caller whose turn it was already. */
  addFirst(party: string, tell: Tell): void {
    const all = [...this.parties]
    this.parties.clear()
    this.parties.set(party, [tell])
    for (const [other, tells] of all)
      this.parties.set(other, other === party ? [tell, ...tells] : tells)
    this.size += 1
  }

  /** Removes the caller whose turn it is and returns it. */
  next(): Tell | null {
    for (const [party, [first, ...others]] of this.parties) {
      this.parties.delete(party)
      if (others.length > 0) this.parties.set(party, others) // behind the other parties
      this.size -= 1
      return first ?? null
    }
    return null
  }

  /** Removes a caller. Returns whether it still waited. */
  leave(party: string, tell: Tell): boolean {
    const own = this.parties.get(party) ?? []
    const place = own.indexOf(tell)
    if (place === -1) return false
    own.splice(place, 1)
    if (own.length === 0) this.parties.delete(party)
    this.size -= 1
    return true
  }
}

/** Creates an in-memory queue for one process. Its limits default to those of sign-ins. */
export function createConcurrencyLimiter(
  clock: Clock,
  { longestWaitMs, refusal }: WaitLimit = OF_SIGN_INS,
): ConcurrencyLimiter {
  const underWay = new Map<string, number>()
  const waiting = new Map<string, Line>()

  const count = (name: string, by: 1 | -1): void => {
    const left = (underWay.get(name) ?? 0) + by
    if (left === 0) underWay.delete(name)
    else underWay.set(name, left)
  }

  const wakeOne = (name: string): void => waiting.get(name)?.next()?.()

  /**
   * Waits at a resource; at the head of its queue if another caller took the slot of one that was
   * just woken.
   */
  const slotAt = async (
    { name, turnOf = '' }: LimitedResource,
    at: { untilMs: number; isFirst: boolean },
  ): Promise<void> => {
    const leftMs = Math.min(longestWaitMs, at.untilMs - clock.nowMs())
    if (leftMs <= 0) throw refusal()
    const turn = Promise.withResolvers<void>()
    const line = waiting.get(name) ?? new Line()
    waiting.set(name, line)
    const tell = (): void => turn.resolve()
    if (at.isFirst) line.addFirst(turnOf, tell)
    else line.add(turnOf, tell)
    const stopTimer = clock.after(leftMs, () => {
      if (line.leave(turnOf, tell)) turn.reject(refusal())
    })
    try {
      await turn.promise
    } finally {
      stopTimer()
      if (line.size === 0 && waiting.get(name) === line) waiting.delete(name)
    }
  }

  const fullPlace = (places: LimitedResource[]): LimitedResource | null =>
    places.find(({ name, room }) => room() <= (underWay.get(name) ?? 0)) ?? null
  const patience = (): number => clock.nowMs() + longestWaitMs

  return {
    deadlineMs: patience,
    load: (name) => ({
      underWay: underWay.get(name) ?? 0,
      waiting: waiting.get(name)?.size ?? 0,
    }),
    async enter(places, untilMs = patience()) {
      let waitedAt: string | null = null
      for (;;) {
        let full: LimitedResource | null
        try {
          full = fullPlace(places)
        } catch (error) {
          if (waitedAt !== null) wakeOne(waitedAt) // a refused caller passes the slot on
          throw error
        }
        if (full === null) break
        if (waitedAt !== null && waitedAt !== full.name) wakeOne(waitedAt)
        const isFirst = waitedAt === full.name
        waitedAt = full.name
        await slotAt(full, { untilMs, isFirst })
      }
      for (const { name } of places) count(name, 1)
      return () => {
        for (const { name } of places) count(name, -1)
        for (const { name } of places) wakeOne(name)
      }
    },
  }
}
