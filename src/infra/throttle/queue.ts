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
  const waiting = new Map<string, (() => void)[]>()

  const count = (name: string, by: 1 | -1): void => {
    const left = (underWay.get(name) ?? 0) + by
    if (left === 0) underWay.delete(name)
    else underWay.set(name, left)
  }

  const wakeOne = (name: string): void => waiting.get(name)?.shift()?.()

  const turnAt = async (name: string, untilMs: number): Promise<void> => {
    const turn = Promise.withResolvers<void>()
    const line = waiting.get(name) ?? []
    waiting.set(name, line)
    const tell = (): void => turn.resolve()
    line.push(tell)
    const timer = setTimeout(
      () => {
        line.splice(line.indexOf(tell), 1)
        turn.reject(new UnavailableError('Too many sign-ins at once. Try again in a few seconds.'))
      },
      Math.max(0, untilMs - performance.now()),
    )
    try {
      await turn.promise
    } finally {
      clearTimeout(timer)
      if (line.length === 0 && waiting.get(name) === line) waiting.delete(name)
    }
  }

  const fullPlace = (places: Place[]): string | null => places.find(({ name, room }) => room() <= (underWay.get(name) ?? 0))?.name ?? null

  return {
    async enter(places) {
      const untilMs = performance.now() + LONGEST_WAIT_MS
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
        waitedAt = full
        await turnAt(full, untilMs)
      }
      for (const { name } of places) count(name, 1)
      return () => {
        for (const { name } of places) count(name, -1)
        for (const { name } of places) wakeOne(name)
      }
    },
  }
}
