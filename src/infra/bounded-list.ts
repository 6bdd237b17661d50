import { BatchSize } from './batch-size'
import { inSlices, type SliceScope } from './event-loop'

/**
 * A place in a sorted list: what it is sorted by, then the id. Rows without a value come last in
 * both orders.
 */
export interface SortPlace {
  value: number | string | null
  id: string
}

/** Rows read with one statement. */
export const LOOKED_AT = 250

/** Rows looked at along the order of the list before the candidates are sorted instead. */
const WALKED_AT_MOST = 5_000

/** So few candidates are looked up and sorted at once, without a walk along the list. */
export const FEW_CANDIDATES = 4_000

/** Exact totals end here. */
const COUNTED_AT_MOST = 10_000

/** Rows that may fit: a superset of those that do, found by an index. */
export interface Candidates {
  /**
   * How many there are; counted at least up to `FEW_CANDIDATES + 1`, and infinite where counting
   * means looking at all of them.
   */
  size: number
  /** Their ids, at most `LOOKED_AT` at a time. A candidate may come twice. */
  batches: () => Iterator<string[]>
}

/** A sorted list whose filter no index answers. */
export interface BoundedList {
  order: 'asc' | 'desc'
  /** The next rows in the order of the list, each with whether it fits. */
  walk: (after: SortPlace | null, limit: number) => (SortPlace & { fits: number })[]
  /** The rows among these candidates that fit, in any order. */
  among: (ids: string[]) => SortPlace[]
}

/** Which part of a list is wanted: so many rows beyond a place, without the first ones. */
interface Wanted {
  after: SortPlace | null
  offset: number
  rows: number
}

/**
 * Part of a list, and how many rows fit in all; `total` is null where only looking at every row
 * would tell.
 */
interface Part {
  places: SortPlace[]
  total: number | null
}

/** Compares places as the list is sorted. */
function comparePlaces(order: 'asc' | 'desc'): (a: SortPlace, b: SortPlace) => number {
  const sign = order === 'asc' ? 1 : -1
  return (a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1
    } else if (a.value !== b.value) return a.value < b.value ? -sign : sign
    return a.id < b.id ? -sign : a.id > b.id ? sign : 0
  }
}

/**
 * Reads part of a sorted list in slices of a few milliseconds. Few candidates are looked up and
 * sorted. Where there are many, the list is read in its own order, which finds a page of frequent
 * rows soon; if that fails, all candidates are looked up, and without candidates the walk goes on
 * to the end.
 */
export async function readBounded(
  ctx: SliceScope,
  list: BoundedList,
  wanted: Wanted & { candidates: Candidates | null },
): Promise<Part> {
  const { candidates } = wanted
  if (candidates !== null && candidates.size <= FEW_CANDIDATES)
    return await sortCandidates(ctx, list, { ...wanted, candidates })
  const walked = await walk(ctx, list, {
    ...wanted,
    most: candidates === null ? Infinity : WALKED_AT_MOST,
  })
  if (walked !== null || candidates === null) return walked ?? { places: [], total: null }
  return await sortCandidates(ctx, list, { ...wanted, candidates })
}

/** Reads along the order of the list; `null` when the wanted rows were not found in time. */
async function walk(
  ctx: SliceScope,
  list: BoundedList,
  wanted: Wanted & { most: number },
): Promise<Part | null> {
  const found: SortPlace[] = []
  const last = wanted.offset + wanted.rows
  let [after, looked, fitting, isAtEnd] = [wanted.after, 0, 0, false]
  const pace = new BatchSize(LOOKED_AT)
  await inSlices(ctx, () => {
    const { rows, limit } = pace.part((most) => {
      // Mostly the first rows are those wanted.
      const next = looked === 0 ? Math.min(last, most) : most
      return { rows: list.walk(after, next), limit: next }
    })
    for (const { fits, value, id } of rows) {
      if (fits !== 1) continue
      fitting += 1
      if (fitting > wanted.offset && fitting <= last) found.push({ value, id })
    }
    looked += rows.length
    after = rows.at(-1) ?? after
    isAtEnd = rows.length < limit
    return isAtEnd || fitting >= last || looked >= wanted.most
  })
  if (!isAtEnd && fitting < last) return null
  return { places: found, total: isAtEnd && wanted.after === null ? fitting : null }
}

/** Looks all candidates up, keeps those that come first in the list, and sorts these. */
async function sortCandidates(
  ctx: SliceScope,
  list: BoundedList,
  wanted: Wanted & { candidates: Candidates },
): Promise<Part> {
  const compare = comparePlaces(list.order)
  const { after } = wanted
  const last = wanted.offset + wanted.rows
  const batches = wanted.candidates.batches()
  const seen = new Set<string>()
  const pace = new BatchSize(LOOKED_AT)
  let kept = new Map<string, SortPlace>()
  let batch: string[] = []
  await inSlices(ctx, () => {
    if (batch.length === 0) {
      const { done, value: ids } = batches.next()
      if (done === true) return true
      batch = [...ids]
    }
    for (const place of pace.part((most) => list.among(batch.splice(0, most)))) {
      if (seen.size <= COUNTED_AT_MOST) seen.add(place.id)
      if (after === null || compare(place, after) > 0) kept.set(place.id, place)
    }
    if (kept.size > 4 * last + LOOKED_AT) kept = firstOf(kept, compare, last)
    return false
  })
  const places = [...firstOf(kept, compare, last).values()].slice(wanted.offset)
  return { places, total: seen.size > COUNTED_AT_MOST ? null : seen.size }
}

const firstOf = (
  places: Map<string, SortPlace>,
  compare: (a: SortPlace, b: SortPlace) => number,
  most: number,
): Map<string, SortPlace> =>
  new Map(
    [...places.values()]
      .toSorted(compare)
      .slice(0, most)
      .map((place) => [place.id, place]),
  )
