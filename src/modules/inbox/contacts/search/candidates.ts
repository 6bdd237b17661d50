import { ROWS_PER_READ, type Candidates } from '../../../../infra/bounded-list'
import type { Ctx } from '../../../../infra/ctx'

export type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Sorts above every character of a term. */
export const MAX_CHARACTER = '\u{10FFFF}'

/** Returns the contacts with these IDs. */
export const contactsByIds = (ids: string[]): Candidates => ({
  size: ids.length,
  batches: () => chunksOf(ids),
})

/** Yields at least one batch, so that a long search always makes progress. */
export function* chunksOf(ids: string[]): Generator<string[]> {
  for (let from = 0; from === 0 || from < ids.length; from += ROWS_PER_READ)
    yield ids.slice(from, from + ROWS_PER_READ)
}

/** Returns the union of two candidate sets. */
export const eitherOf = (one: Candidates, other: Candidates): Candidates => ({
  size: one.size + other.size,
  *batches() {
    yield* { [Symbol.iterator]: one.batches }
    yield* { [Symbol.iterator]: other.batches }
  },
})

/**
 * Returns the smallest of several candidate sets, or `null` if there is none. Each set contains
 * every match.
 */
export const smallestOf = (candidates: (Candidates | null)[]): Candidates | null =>
  candidates.filter((one) => one !== null).toSorted((a, b) => a.size - b.size)[0] ?? null

/** Yields IDs in order, one batch at a time. */
export function* idsInOrder(read: (after: string) => { id: string }[]): Generator<string[]> {
  for (let after = ''; ;) {
    const rows = read(after)
    yield rows.map(({ id }) => id)
    const last = rows.at(-1)
    if (rows.length < ROWS_PER_READ || !last) return
    after = last.id
  }
}
