/**
 * Returns a seeded random generator of numbers in [0, 1) (mulberry32). The same seed gives the same
 * demo and the same disorder.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Returns a random element, or undefined for an empty list. */
export function pick<T>(random: () => number, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)]
}

/** Returns a shuffled copy of the list. */
export function shuffled<T>(random: () => number, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.item)
}

/** Generated IDs: unique within one simulator, equal for equal seeds. */
export type Ids = { wamid(): string; media(): string; trace(): string }

/** Starts an ID sequence for one simulator. */
export function seededIds(seed: number): Ids {
  const counter = () => {
    let count = 0
    return (): string => `${seed}.${(count += 1)}`
  }
  const next = counter()
  // Errors of calls beside do not change the IDs of messages.
  const nextTrace = counter()
  const digits = (text: string): string =>
    String(BigInt(Bun.hash(text)) % 10n ** 15n).padStart(15, '0')
  return {
    wamid: () => `wamid.HBgL${Buffer.from(`simulated-${next()}`).toString('base64')}`,
    media: () => `9${digits(`media-${next()}`)}`,
    trace: () => `A${Buffer.from(`trace-${nextTrace()}`).toString('base64url')}`,
  }
}
