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

/**
 * Puts a fresh first page in front of loaded pages, each item once. What stood before the last item
 * of that page and is not on it has left the list; what stands behind it has moved on.
 */
export function joinPages<T extends Named, P extends PageOf<T>>(
  pages: Pages<P>,
  top: P,
  hasMore: boolean,
): Pages<P> {
  const [first, ...rest] = pages.pages
  const ids = itemsOf(pages).map(({ id }) => id)
  const fresh = new Set(top.items.map(({ id }) => id))
  const end = ids.indexOf(top.items.at(-1)?.id ?? '')
  // if the last one is new, those around it are known
  const known = end === -1 ? ids.findLastIndex((id) => fresh.has(id)) : end
  if (!first || rest.length === 0 || known === -1 || !hasMore)
    return { pages: [top], pageParams: pages.pageParams.slice(0, 1) }
  const left = new Set([...fresh, ...ids.slice(0, known + 1)])
  const behind = ({ items }: P): T[] => items.filter(({ id }) => !left.has(id))
  return {
    ...pages,
    pages: [
      { ...top, items: [...top.items, ...behind(first)] },
      ...rest.map((page) => ({ ...page, items: behind(page) })),
    ],
  }
}
