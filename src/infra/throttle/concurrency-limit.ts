import { SECOND_MS, type Clock } from '../../lib/clock'
import { UnavailableError } from '../../lib/errors'

/**
 * Something of which only so many may be under way; `room` says how many, and may throw to refuse.
 */
export interface Place {
  name: string
  room: () => number
}

/** Lets works in while there is room and has the others wait for one to end. */
export interface Queue {
  /**
   * Resolves with what to call at the end. Throws what `room` throws, and UnavailableError when
   * there was no room until `untilMs`, the longest wait of the queue from now. Who needs several
   * turns one after the other passes on the `patience` it came with, and waits no longer for all.
   */
  enter(places: Place[], untilMs?: number): Promise<() => void>
  /** Until when somebody who comes now waits, epoch milliseconds. */
  patience(): number
  /** How many are at a place now, and how many wait for room there. */
  load(name: string): { underWay: number; waiting: number }
}

/** How long somebody waits at most, and what is said to who waited in vain. */
interface Patience {
  longestWaitMs: number
  refusal: () => UnavailableError
}

const OF_SIGN_INS: Patience = {
  longestWaitMs: 5 * SECOND_MS,
  refusal: () =>
    new UnavailableError('The server is busy with other sign-ins. Try again in a few seconds.'),
}

/** A queue in memory, for one process; of sign-ins unless told otherwise. */
export function createQueue(
  clock: Clock,
  { longestWaitMs, refusal }: Patience = OF_SIGN_INS,
): Queue {
  const underWay = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()

  const count = (name: string, by: 1 | -1): void => {
    const left = (underWay.get(name) ?? 0) + by
    if (left === 0) underWay.delete(name)
    else underWay.set(name, left)
  }

  const wakeOne = (name: string): void => waiting.get(name)?.shift()?.()

  /**
   * Waits at a place, at the head of its line when somebody else was quicker than the one just
   * woken.
   */
  const turnAt = async (name: string, at: { untilMs: number; isFirst: boolean }): Promise<void> => {
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

  const fullPlace = (places: Place[]): string | null =>
    places.find(({ name, room }) => room() <= (underWay.get(name) ?? 0))?.name ?? null
  const patience = (): number => clock.nowMs() + longestWaitMs

  return {
    patience,
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
          if (waitedAt !== null) wakeOne(waitedAt) // who is refused passes the turn on
          throw error
        }
        if (full === null) break
        if (waitedAt !== null && waitedAt !== full) wakeOne(waitedAt)
        const isFirst = waitedAt === full
        waitedAt = full
        await turnAt(full, { untilMs, isFirst })
      }
      for (const { name } of places) count(name, 1)
      return () => {
        for (const { name } of places) count(name, -1)
        for (const { name } of places) wakeOne(name)
      }
    },
  }
}
