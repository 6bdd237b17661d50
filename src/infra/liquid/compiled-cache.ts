/** Compiled sources that are kept, and the parts that they have together. */
const MAX_KEPT = 1_000
const MAX_PARTS = 30_000

/** Returns the number of placeholders and tags of a template. */
export const placeholdersIn = (source: string): number => source.match(/\{[{%]/g)?.length ?? 0

/** The size of a compiled source: about a kilobyte for each part. */
const partsOf = (source: string): number => placeholdersIn(source) + Math.ceil(source.length / 64)

/** A compiled source, or the error that compiling it throws. */
type Kept<T> = { value: T } | { error: unknown }

/** Keeps what was compiled, the last used sources. */
export class CompiledCache<T> {
  /** The least recently used first. */
  private readonly kept = new Map<string, { kept: Kept<T>; parts: number }>()
  private parts = 0

  /** Returns a compiled source. Throws the error of `compile`. */
  get(source: string, compile: (source: string) => T): T {
    const known = this.kept.get(source)
    const entry = known ?? { kept: attempt(source, compile), parts: partsOf(source) }
    if (known) this.kept.delete(source)
    else this.parts += entry.parts
    this.kept.set(source, entry)
    this.dropOldest()
    if ('error' in entry.kept) throw entry.kept.error
    return entry.kept.value
  }

  private dropOldest(): void {
    for (const [source, { parts }] of this.kept) {
      if (this.kept.size <= MAX_KEPT && this.parts <= MAX_PARTS) return
      this.kept.delete(source)
      this.parts -= parts
    }
  }
}

function attempt<T>(source: string, compile: (source: string) => T): Kept<T> {
  try {
    return { value: compile(source) }
  } catch (error) {
    return { error }
  }
}
