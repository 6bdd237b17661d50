import type { InfiniteData } from '@tanstack/react-query'

/** One page of a list. */
export interface PageOf<T> {
  items: T[]
}
/** The loaded pages of a list. */
export type Pages<P> = InfiniteData<P, unknown>

interface Named {
  id: string
}

/** Whether one of the pages has an item. */
export const hasItem = <T extends Named>(pages: Pages<PageOf<T>>, id: string): boolean =>
  pages.pages.some(({ items }) => items.some((item) => item.id === id))

/** Returns an item of the pages. */
export function findItem<T extends Named>(pages: Pages<PageOf<T>>, id: string): T | null {
  for (const { items } of pages.pages) {
    const found = items.find((item) => item.id === id)
    if (found) return found
  }
  return null
}

/** Changes an item where it lies. Returns the same pages if it is nowhere. */
export function changeItem<T extends Named, P extends PageOf<T>>(
  pages: Pages<P>,
  id: string,
  change: (item: T) => T,
): Pages<P> {
  const at = pages.pages.findIndex(({ items }) => items.some((item) => item.id === id))
  const page = pages.pages[at]
  if (!page) return pages
  const items = page.items.map((item) => (item.id === id ? change(item) : item))
  return { ...pages, pages: pages.pages.with(at, { ...page, items }) }
}

/** Removes an item. Returns the same pages if it is nowhere. */
export function removeItem<T extends Named, P extends PageOf<T>>(
  pages: Pages<P>,
  id: string,
): Pages<P> {
  if (!hasItem<T>(pages, id)) return pages
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      items: page.items.filter((item) => item.id !== id),
    })),
  }
}

/** Puts an item at the beginning, wherever it was before. */
export function putFirst<T extends Named, P extends PageOf<T>>(pages: Pages<P>, item: T): Pages<P> {
  const [first, ...rest] = removeItem<T, P>(pages, item.id).pages
  return first ? { ...pages, pages: [{ ...first, items: [item, ...first.items] }, ...rest] } : pages
}

/** Returns all items of the pages. */
export const itemsOf = <T>(pages: Pages<PageOf<T>> | undefined): T[] =>
  pages?.pages.flatMap(({ items }) => items) ?? []
