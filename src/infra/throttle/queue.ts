import { UnavailableError } from '../../lib/errors'

/** Something of which only so many may be under way; `room` says how many, and may throw to refuse. */
interface Place {
  name: string
  room: () => number
}

/** Lets works in while there is room and has the others wait for one to end. */
interface Queue {
  /** Resolves with what to call at the end. Throws what `room` throws, and UnavailableError after five seconds of waiting. */
  enter(places: Place[]): Promise<() => void>
}

const LONGEST_WAIT_MS = 5_000

/** A queue in memory, for one process. */
export function createQueue(): Queue {
  const underWay = new Map<string, number>()
  const waiting = new Set<() => void>()

  const count = (name: string, by: 1 | -1): void => {
    const left = (underWay.get(name) ?? 0) + by
    if (left === 0) underWay.delete(name)
    else underWay.set(name, left)
  }

  const oneEnds = async (untilMs: number): Promise<void> => {
    const end = Promise.withResolvers<void>()
    const tell = (): void => end.resolve()
    const refuse = (): void => end.reject(new UnavailableError('Too many sign-ins at once. Try again in a few seconds.'))
    waiting.add(tell)
    const timer = setTimeout(refuse, Math.max(0, untilMs - performance.now()))
    try {
      await end.promise
    } finally {
      clearTimeout(timer)
      waiting.delete(tell)
    }
  }

  return {
    async enter(places) {
      const untilMs = performance.now() + LONGEST_WAIT_MS
      while (!places.map(({ name, room }) => room() > (underWay.get(name) ?? 0)).every(Boolean)) await oneEnds(untilMs)
      for (const { name } of places) count(name, 1)
      return () => {
        for (const { name } of places) count(name, -1)
        for (const tell of waiting) tell()
      }
    },
  }
}
