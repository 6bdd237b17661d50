import { BatchSize } from './batch-size'
import { inSlices, type SliceScope } from './event-loop'

/**
 * A position in a sorted list: the sort value, then the ID. Rows without a value come last in both
 * orders.
 */
export interface SortPosition {
  value: number | string | null
  id: string
}

/** Rows read by one statement. */
export const ROWS_PER_READ = 250

/** Rows read in list order before the candidates are sorted instead. */
const MAX_WALKED = 5_000

/** Up to this many candidates are looked up and sorted directly, without reading in list order. */
export const FEW_CANDIDATES = 4_000

/** Exact totals end here. */
export const MAX_COUNTED = 10_000

/** Rows that may match: a superset of the matching rows, found by an index. */
export interface Candidates {
  /**
   * Number of candidates. Counted at least up to `FEW_CANDIDATES + 1`; infinite if counting would
   * read all of them.
   */
  size: number
  /** Their IDs, up to `ROWS_PER_READ` at a time. A candidate may occur twice. */
  batches: () => Iterator<string[]>
}

/** A sorted list with a filter that no index covers. */
export interface BoundedList {
  order: 'asc' | 'desc'
  /** Returns the next rows in list order, each with whether it matches. */
  walk: (after: SortPosition | null, limit: number) => (SortPosition & { fits: number })[]
  /** Returns the candidates that match, in any order. */
  matching: (ids: string[]) => SortPosition[]
}

/** The requested part of a list: `rows` rows after a position, without the first `offset` ones. */
interface Wanted {
  after: SortPosition | null
  offset: number
  rows: number
}

/**
 * A part of a list, and the total number of matching rows; `total` is `null` if only a full scan
 * would tell.
 */
interface Part {
  positions: SortPosition[]
  total: number | null
}

/** Returns a function that compares positions in list order. */
function comparePositions(order: 'asc' | 'desc'): (a: SortPosition, b: SortPosition) => number {
  const sign = order === 'asc' ? 1 : -1
  return (a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1
    } else if (a.value !== b.value) return a.value < b.value ? -sign : sign
    return a.id < b.id ? -sign : a.id > b.id ? sign : 0
  }
}

/**
 * Reads a part of a sorted list in slices of a few milliseconds. Few candidates are looked up and
 * sorted. With many candidates, the list is read in its own order, which soon fills a page if
 * matches are frequent. If it does not, all candidates are looked up; without candidates, reading
 * continues to the end.
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
    most: candidates === null ? Infinity : MAX_WALKED,
  })
  if (walked !== null || candidates === null) return walked ?? { positions: [], total: null }
  return await sortCandidates(ctx, list, { ...wanted, candidates })
}

/** Reads in list order; `null` if the requested rows were not found within the limit. */
async function walk(
  ctx: SliceScope,
  list: BoundedList,
  wanted: Wanted & { most: number },
): Promise<Part | null> {
  const found: SortPosition[] = []
  const last = wanted.offset + wanted.rows
  let [after, looked, fitting, isAtEnd] = [wanted.after, 0, 0, false]
  const pace = new BatchSize(ROWS_PER_READ)
  await inSlices(ctx, () => {
    const { rows, limit } = pace.part((most) => {
      // Usually the first rows match.
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
  return { positions: found, total: isAtEnd && wanted.after === null ? fitting : null }
}

/** Looks up all candidates, keeps those that come first in the list, and sorts them. */
async function sortCandidates(
  ctx: SliceScope,
  list: BoundedList,
  wanted: Wanted & { candidates: Candidates },
): Promise<Part> {
  const compare = comparePositions(list.order)
  const { after } = wanted
  const last = wanted.offset + wanted.rows
  const batches = wanted.candidates.batches()
  const seen = new Set<string>()
  const pace = new BatchSize(ROWS_PER_READ)
  let kept = new Map<string, SortPosition>()
  let batch: string[] = []
  await inSlices(ctx, () => {
    if (batch.length === 0) {
      const { done, value: ids } = batches.next()
      if (done === true) return true
      batch = [...ids]
    }
    for (const place of pace.part((most) => list.matching(batch.splice(0, most)))) {
      if (seen.size <= MAX_COUNTED) seen.add(place.id)
      if (after === null || compare(place, after) > 0) kept.set(place.id, place)
    }
    if (kept.size > 4 * last + ROWS_PER_READ) kept = firstOf(kept, compare, last)
    return false
  })
  const places = [...firstOf(kept, compare, last).values()].slice(wanted.offset)
  return { positions: places, total: seen.size > MAX_COUNTED ? null : seen.size }
}

const firstOf = (
  places: Map<string, SortPosition>,
  compare: (a: SortPosition, b: SortPosition) => number,
  most: number,
): Map<string, SortPosition> =>
  new Map(
    [...places.values()]
      .toSorted(compare)
      .slice(0, most)
      .map((place) => [place.id, place]),
  )
