import { expect, test } from 'bun:test'

import {
  isBeside,
  layOut,
  missingIn,
  MOST_COUNTED,
  putPage,
  stepTo,
  type PageOfRows,
  type RowPages,
} from '../../../src/console/live/row-window'

const LIMIT = 10
const TOTAL = 1_000
const KEPT = { view: { first: 0, last: 9 }, limit: LIMIT, pinned: new Set<string>() }

/** A page as the server answers it, with rows that are named by their place. */
const pageOf = (number: number, changed: Partial<PageOfRows> = {}): PageOfRows => ({
  items: Array.from({ length: LIMIT }, (_, nth) => ({ id: `row ${number * LIMIT + nth}` })),
  total: TOTAL,
  total_pages: TOTAL / LIMIT,
  next_cursor: number === TOTAL / LIMIT - 1 ? null : `after ${number}`,
  ...changed,
})
const pagesOf = (...numbers: number[]): RowPages => ({
  pages: numbers.map((number) => pageOf(number)),
  pageParams: numbers,
})

test('rows of pages side by side follow each other, others stand where their number says', () => {
  const pages = pagesOf(0, 1, 50)
  pages.pages[0] = pageOf(0, { items: [{ id: 'new' }, ...pageOf(0).items] })
  const { items, at, gaps, count } = layOut(pages, LIMIT)
  expect(items).toHaveLength(31)
  expect([at.get(0)?.id, at.get(11)?.id, at.get(500)?.id]).toEqual(['new', 'row 10', 'row 500'])
  expect([...gaps]).toEqual(['row 500'])
  expect(count).toBe(TOTAL)
})

test('the end of a list is where its last page ends, however many were counted', () => {
  expect(layOut(pagesOf(0, 99), LIMIT).count).toBe(TOTAL)
  const ends = { pages: [pageOf(0), pageOf(1, { next_cursor: null })], pageParams: [0, 1] }
  expect(layOut(ends, LIMIT).count).toBe(20)
  const numbered = { items: pageOf(0).items, total: 10, total_pages: 1 }
  expect(layOut({ pages: [numbered], pageParams: [0] }, LIMIT).count).toBe(10)
  expect(layOut({ pages: [pageOf(0, { total: null })], pageParams: [0] }, LIMIT).count).toBe(
    MOST_COUNTED,
  )
  expect(layOut(undefined, LIMIT).count).toBe(0)
})

test('the pages in view are missing, and no others', () => {
  expect(missingIn(pagesOf(0), { first: 0, last: 9 }, LIMIT)).toEqual([])
  expect(missingIn(pagesOf(0), { first: -60, last: 25 }, LIMIT)).toEqual([1, 2])
  expect(missingIn(pagesOf(0, 50), { first: 495, last: 512 }, LIMIT)).toEqual([49, 51])
  expect(missingIn(pagesOf(0), { first: 980, last: 2_000 }, LIMIT)).toEqual([98, 99])
  expect([isBeside(pagesOf(0, 50), 49), isBeside(pagesOf(0, 50), 48)]).toEqual([true, false])
})

test('a page goes on after its neighbor, or is asked for by its number', () => {
  expect(stepTo(pagesOf(0, 50), 1)).toEqual({ cursor: 'after 0' })
  expect(stepTo(pagesOf(0, 50), 49)).toEqual({ page: 50 })
})

test('a row is in the list once, and pages far from the view are dropped', () => {
  const twice = putPage(
    pagesOf(0),
    { page: pageOf(1, { items: [{ id: 'row 9' }, { id: 'row 10' }] }), number: 1 },
    KEPT,
  )
  expect(layOut(twice, LIMIT).items.map(({ id }) => id)).toEqual([
    ...pageOf(0).items.map(({ id }) => id),
    'row 10',
  ])
  let pages = pagesOf(0)
  for (let number = 99; number > 60; number -= 1)
    pages = putPage(
      pages,
      { page: pageOf(number), number },
      {
        ...KEPT,
        view: { first: number * LIMIT, last: number * LIMIT + 9 },
        pinned: new Set(['row 995']),
      },
    )
  expect(pages.pageParams).toEqual([0, ...Array.from({ length: 19 }, (_, nth) => 61 + nth), 99])
})
