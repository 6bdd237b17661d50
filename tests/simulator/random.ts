/**
 * A repeatable source of numbers in [0, 1): the same seed gives the same demo, the same disorder
 * (mulberry32).
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

/** One element by chance, or undefined of an empty list. */
export function pick<T>(random: () => number, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)]
}

/** The same elements in an order decided by chance; the list given stays as it is. */
export function shuffled<T>(random: () => number, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.item)
}

/** The ids the simulator invents: unique within one simulator, equal for equal seeds. */
export type Ids = { wamid(): string; media(): string; trace(): string }

/** Starts a series of ids for one simulator. */
export function seededIds(seed: number): Ids {
  let count = 0
  const next = (): string => `${seed}.${(count += 1)}`
  const digits = (text: string): string =>
    String(BigInt(Bun.hash(text)) % 10n ** 15n).padStart(15, '0')
  return {
    wamid: () => `wamid.HBgL${Buffer.from(`simulated-${next()}`).toString('base64')}`,
    media: () => `9${digits(`media-${next()}`)}`,
    trace: () => `A${Buffer.from(`trace-${next()}`).toString('base64url')}`,
  }
}
