import type { PageOf, Pages } from './pages-of'

/** One page of a list with a cursor, or with numbered pages only. */
export interface PageOfRows extends PageOf<{ id: string }> {
  total: number | null
  total_pages: number | null
  next_cursor?: string | null
}
/**
 * The loaded pages of a long list, in its order, with their numbers from 0 as `pageParams`. The first
 * one is always loaded; between two others pages may be missing.
 */
export type RowPages = Pages<PageOfRows>

/** What is asked of the server: the page after a cursor, or the one with a number from 1. */
export interface Step {
  cursor?: string
  page?: number
}

/** The rows that somebody sees: the first and the last one. */
export interface View {
  first: number
  last: number
}

/** A loaded page and where its rows stand in the list. */
interface Placed {
  page: PageOfRows
  number: number
  start: number
  end: number
}

/** Pages that are kept at most, beside those that must stay. */
const MAX_PAGES = 20
/** Lists end after so many rows: browsers draw no page that is much higher. */
export const MAX_ROWS = 200_000
/** The server counts up to this many rows of a search. */
export const MOST_COUNTED = 10_000

const isLast = ({ next_cursor: cursor, total_pages: pages }: PageOfRows, number: number): boolean =>
  cursor === undefined ? number + 1 >= (pages ?? 0) : cursor === null

/** Whether the list goes on after a page. */
export const hasNext = (page: PageOfRows, number = 0): boolean => !isLast(page, number)

/** Tells where the rows of each loaded page stand: pages side by side follow each other exactly. */
function placed({ pages, pageParams }: RowPages, limit: number): Placed[] {
  let [before, end] = [-1, 0]
  return pages.map((page, nth) => {
    const number = Number(pageParams[nth])
    const start = number === before + 1 ? end : Math.max(end, number * limit)
    before = number
    end = start + page.items.length
    return { page, number, start, end }
  })
}

/** What is known of a list whose pages are loaded in part. */
export interface Known<T> {
  /** The loaded rows, in order. */
  items: T[]
  /** Each loaded row by its place in the list. */
  at: ReadonlyMap<number, T>
  /** Rows before which some are not loaded. */
  gaps: ReadonlySet<string>
  /** How many rows there are, as far as it is known. */
  count: number
}

/** Lays out the loaded pages of a list. */
export function layOut<T extends { id: string }>(
  pages: RowPages | undefined,
  limit: number,
): Known<T> {
  const items: T[] = []
  const at = new Map<number, T>()
  const gaps = new Set<string>()
  let end = 0
  for (const one of pages ? placed(pages, limit) : []) {
    const [first] = one.page.items
    if (first && one.start > end) gaps.add(first.id)
    for (const [nth, row] of one.page.items.entries()) {
      items.push(row as T)
      at.set(one.start + nth, row as T)
    }
    end = one.end
  }
  return { items, at, gaps, count: countOf(pages, end, limit) }
}

/** If nobody counted them, there are more than are counted at all. */
function countOf(pages: RowPages | undefined, end: number, limit: number): number {
  const last = pages?.pages.at(-1)
  if (!pages || !last || isLast(last, Number(pages.pageParams.at(-1)))) return end
  const total = pages.pages[0]?.total
  return Math.max(end, total ?? Math.max(MOST_COUNTED, end + limit))
}

/** Returns the numbers of the pages with these rows that are not loaded. */
export function missingIn(pages: RowPages, view: View, limit: number): number[] {
  const known = placed(pages, limit)
  const numbers = new Set(known.map(({ number }) => number))
  const numberAt = (row: number): number => {
    const before = known.findLast(({ start }) => start <= row)
    if (!before || row < before.end) return before?.number ?? 0
    return before.number + 1 + Math.floor((row - before.end) / limit)
  }
  const { count } = layOut(pages, limit)
  const to = numberAt(Math.max(0, Math.min(view.last, count - 1)))
  const missing: number[] = []
  for (let number = numberAt(Math.max(0, view.first)); number <= to; number += 1)
    if (!numbers.has(number)) missing.push(number)
  return missing
}

/** Whether a page stands beside one that is loaded. */
export const isBeside = ({ pageParams }: RowPages, number: number): boolean =>
  pageParams.some((one) => Math.abs(Number(one) - number) === 1)

/** A page after one that is loaded goes on exactly where that one stopped. */
export function stepTo({ pages, pageParams }: RowPages, number: number): Step {
  const cursor = pages[pageParams.findIndex((one) => Number(one) === number - 1)]?.next_cursor
  return cursor ? { cursor } : { page: number + 1 }
}

interface Kept {
  view: View
  limit: number
  /** Rows whose pages stay, as they are selected. */
  pinned: ReadonlySet<string>
}

/** Puts a page at its place, each row once, and drops the pages that are farthest from the view. */
export function putPage(
  { pages, pageParams }: RowPages,
  { page, number }: { page: PageOfRows; number: number },
  kept: Kept,
): RowPages {
  const entries = pages
    .map((one, nth) => ({ page: one, number: Number(pageParams[nth]) }))
    .filter((one) => one.number !== number)
  const others = new Set(entries.flatMap((one) => one.page.items.map(({ id }) => id)))
  const fresh = { ...page, items: page.items.filter(({ id }) => !others.has(id)) }
  const all = [...entries, { page: fresh, number }].toSorted((a, b) => a.number - b.number)
  const result = {
    pages: all.map((one) => one.page),
    pageParams: all.map((one) => one.number),
  }
  return all.length > MAX_PAGES ? dropFar(result, kept) : result
}

function dropFar(pages: RowPages, { view, limit, pinned }: Kept): RowPages {
  const middle = (view.first + view.last) / 2
  const mustStay = ({ number, page }: Placed): boolean =>
    number === 0 || page.items.some(({ id }) => pinned.has(id))
  const far = placed(pages, limit)
    .filter((one) => !mustStay(one))
    .toSorted(
      (a, b) => Math.abs(a.start + a.end - 2 * middle) - Math.abs(b.start + b.end - 2 * middle),
    )
    .slice(MAX_PAGES - 1)
  const dropped = new Set(far.map(({ number }) => number))
  const stays = pages.pageParams.map((number) => !dropped.has(Number(number)))
  return {
    pages: pages.pages.filter((_, nth) => stays[nth]),
    pageParams: pages.pageParams.filter((_, nth) => stays[nth]),
  }
}
