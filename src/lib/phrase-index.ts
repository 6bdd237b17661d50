import { finish, sorted, type Sliced } from './sliced'

/** Phrases between two pauses. */
const AT_ONCE = 500

/**
 * Finds which of many phrases begin at a place of a text. It needs memory for the phrases alone and
 * a number of comparisons that grows with the logarithm of their number, whatever they are. Phrases
 * that begin like each other cost no comparison each.
 */
export class PhraseIndex {
  private constructor(
    /** Sorted by UTF-16 units, without duplicates. */
    readonly phrases: readonly string[],
    private readonly lengths: Int32Array,
    /** Position of the longest other phrase that a phrase begins with; -1 for none. */
    private readonly shorter: Int32Array,
    /** First two units of the phrases; most places of a text begin none. */
    private readonly beginnings: ReadonlySet<string>,
    private readonly longest: number,
  ) {}

  /** Returns an index of phrases. */
  static of(phrases: Iterable<string>): PhraseIndex {
    return finish(PhraseIndex.building(phrases))
  }

  /** Builds an index of phrases, which do not change meanwhile, in steps. */
  static *building(phrases: Iterable<string>): Sliced<PhraseIndex> {
    const different = new Set<string>()
    for (const phrase of phrases) {
      if (phrase !== '') different.add(phrase)
      if (different.size % AT_ONCE === 0) yield
    }
    const all = yield* sorted([...different], byUnits)
    const shorter = new Int32Array(all.length).fill(-1)
    const lengths = new Int32Array(all.length)
    const beginnings = new Set<string>()
    let longest = 0
    for (const [at, phrase] of all.entries()) {
      if (at % AT_ONCE === 0) yield
      beginnings.add(phrase.slice(0, 2))
      lengths[at] = phrase.length
      longest = Math.max(longest, phrase.length)
      let other = at - 1
      while (other >= 0 && !phrase.startsWith(all[other] ?? '')) other = shorter[other] ?? -1
      shorter[at] = other
    }
    return new PhraseIndex(all, lengths, shorter, beginnings, longest)
  }

  get isEmpty(): boolean {
    return this.phrases.length === 0
  }

  /** Calls back with the position of each phrase that begins at a place of a text, longest first. */
  eachAt(text: string, at: number, found: (index: number, length: number) => void): void {
    if (!this.beginnings.has(text.slice(at, at + 2)) && !this.beginnings.has(text[at] ?? '')) return
    const rest = text.slice(at, at + this.longest)
    let [low, high] = [0, this.phrases.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.phrases[middle] ?? '') <= rest) low = middle + 1
      else high = middle
    }
    // The phrases that `rest` begins with are the last one that sorts before it, or shorter ones: as
    // long as what both have in common, or shorter.
    const common = commonLength(this.phrases[low - 1] ?? '', rest)
    for (let index = low - 1; index >= 0; index = this.shorter[index] ?? -1) {
      const length = this.lengths[index] ?? 0
      if (length <= common) found(index, length)
    }
  }
}

/** Returns the number of UTF-16 units that two texts have in common at their beginning. */
function commonLength(a: string, b: string): number {
  if (b.startsWith(a)) return a.length
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a.codePointAt(at) === b.codePointAt(at)) at += 1
  return at
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
