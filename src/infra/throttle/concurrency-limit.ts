import { SECOND_MS, type Clock } from '../../lib/clock'
import { UnavailableError } from '../../lib/errors'

/**
 * A resource with limited concurrency. `room` returns how many may run, and may throw to refuse.
 */
export interface LimitedResource {
  name: string
  room: () => number
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

/** Creates an in-memory queue for one process. Its limits default to those of sign-ins. */
export function createConcurrencyLimiter(
  clock: Clock,
  { longestWaitMs, refusal }: WaitLimit = OF_SIGN_INS,
): ConcurrencyLimiter {
  const underWay = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()

  const count = (name: string, by: 1 | -1): void => {
    const left = (underWay.get(name) ?? 0) + by
    if (left === 0) underWay.delete(name)
    else underWay.set(name, left)
  }

  const wakeOne = (name: string): void => waiting.get(name)?.shift()?.()

  /**
   * Waits at a resource; at the head of its queue if another caller took the slot of one that was
   * just woken.
   */
  const slotAt = async (name: string, at: { untilMs: number; isFirst: boolean }): Promise<void> => {
    const leftMs = Math.min(longestWaitMs, at.untilMs - clock.nowMs())
    if (leftMs <= 0) throw refusal()
    const turn = Promise.withResolvers<void>()
    const line = waiting.get(name) ?? []
    waiting.set(name, line)
    const tell = (): void => turn.resolve()
    if (at.isFirst) line.unshift(tell)
    else line.push(tell)
    const stopTimer = clock.after(leftMs, () => {
      const place = line.indexOf(tell)
      if (place === -1) return
      line.splice(place, 1)
      turn.reject(refusal())
    })
    try {
      await turn.promise
    } finally {
      stopTimer()
      if (line.length === 0 && waiting.get(name) === line) waiting.delete(name)
    }
  }

  const fullPlace = (places: LimitedResource[]): string | null =>
    places.find(({ name, room }) => room() <= (underWay.get(name) ?? 0))?.name ?? null
  const patience = (): number => clock.nowMs() + longestWaitMs

  return {
    deadlineMs: patience,
    load: (name) => ({
      underWay: underWay.get(name) ?? 0,
      waiting: waiting.get(name)?.length ?? 0,
    }),
    async enter(places, untilMs = patience()) {
      let waitedAt: string | null = null
      for (;;) {
        let full: string | null
        try {
          full = fullPlace(places)
        } catch (error) {
          if (waitedAt !== null) wakeOne(waitedAt) // a refused caller passes the slot on
          throw error
        }
        if (full === null) break
        if (waitedAt !== null && waitedAt !== full) wakeOne(waitedAt)
        const isFirst = waitedAt === full
        waitedAt = full
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
