/**
 * So often the event loop looks at what has come in before long work goes on: a request needs a few
 * rounds, one to be read, one to be committed with others, and must not wait for a whole turn at
 * each.
 */
const OTHERS_FIRST = 3

/** Calls back after others had their turn: after the event loop has gone round a few times. */
export function afterOthers(work: () => void, rounds = OTHERS_FIRST): void {
  setImmediate(() => (rounds > 1 ? afterOthers(work, rounds - 1) : work()))
}

/** Waits until others had their turn. */
export const othersFirst = (): Promise<void> => new Promise((resolve) => afterOthers(resolve))

/**
 * Work in small steps: `turn` gives others theirs when the last one is longer ago than `mostMs`,
 * and else goes on at once.
 */
export function stepsOf(mostMs: number): { turn: () => Promise<void> } {
  let sinceMs = performance.now()
  return {
    async turn() {
      if (performance.now() - sinceMs < mostMs) return
      await othersFirst()
      sinceMs = performance.now()
    },
  }
}

/**
 * While others have work too, and while they have none: how long a part of long work may take,
 * milliseconds.
 */
const BESIDE_OTHERS_MS = 9
const ALONE_MS = 15
/** What others did between two parts in less than this was nobody's request, milliseconds. */
const HARDLY_ANYTHING_MS = 1
/** Who asked less than so long ago may ask again at any moment, milliseconds. */
const SOON_AGAIN_MS = 250

/** When a request was answered last; there is one event loop in a process. */
let askedAtMs = -Infinity

/**
 * Notes that somebody asks for something, and would have waited for whatever else holds the event
 * loop.
 */
export function noteAsked(): void {
  askedAtMs = performance.now()
}

/** Whether somebody asked a moment ago, and may ask again at any moment. */
export const mayBeAsked = (): boolean => performance.now() - askedAtMs <= SOON_AGAIN_MS

/**
 * On a machine that is busy otherwise a part takes up to so many times as long: smaller ones would
 * only cost more of what is scarce.
 */
const PATIENCE = 3

/** How much of what was measured last counts. */
const NEWEST = 0.4

/** Pieces of the first part, and how many times as many as before may be tried. */
const FIRST = 10
const GROWTH = 2

/**
 * Long work that is done in parts as long as others bear. What a piece takes is learned from the
 * parts before, with all that belongs to it (its commit, above all), in time of the processor.
 */
export class Parts {
  private fit: number
  private pieceMs: number | null = null

  /** `most`: pieces of one part at most. */
  constructor(private readonly most: number) {
    this.fit = Math.min(most, FIRST)
  }

  /**
   * Does a part: `work` is told how many pieces fit and answers how many it did; `null` when there
   * is nothing more to do.
   */
  next(work: (pieces: number) => number | null): number | null {
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    const done = work(this.fit)
    const { user, system } = process.cpuUsage(cpu)
    const wallMs = performance.now() - startedMs
    const tookMs = Math.min(wallMs, Math.max((user + system) / 1_000, wallMs / PATIENCE))
    if (done !== null && done > 0) this.learn(tookMs / done)
    return done
  }

  /**
   * Waits until others had their turn; when they did something, or will soon, the next part is
   * short.
   */
  async othersFirst(): Promise<void> {
    const startedMs = performance.now()
    await othersFirst()
    const endedMs = performance.now()
    const isAlone = endedMs - startedMs < HARDLY_ANYTHING_MS && !mayBeAsked()
    const fit = Math.floor((isAlone ? ALONE_MS : BESIDE_OTHERS_MS) / (this.pieceMs ?? 1))
    this.fit = Math.max(1, Math.min(fit, this.most, this.fit * GROWTH))
  }

  private learn(pieceMs: number): void {
    this.pieceMs = this.pieceMs === null ? pieceMs : this.pieceMs * (1 - NEWEST) + pieceMs * NEWEST
  }
}
