import { useEffect, useRef } from 'react'

/**
 * Returns the index of the row after or before one. `order` is the order in which that row was last
 * seen: if it has left the list since, its neighbors of then that are still there come next. Without
 * such a row, the first one comes next.
 */
export function indexAfter<T>(
  rows: readonly T[],
  row: T | null,
  order: readonly T[],
  by: 1 | -1,
): number {
  const last = rows.length - 1
  const within = (index: number): number => Math.max(0, Math.min(last, index))
  const at = row === null ? -1 : rows.indexOf(row)
  if (at !== -1) return within(at + by)
  const left = row === null ? -1 : order.indexOf(row)
  if (left === -1) return within(0)
  const isThere = new Map(rows.map((one, index) => [one, index]))
  for (let nth = left + by; nth >= 0 && nth < order.length; nth += by) {
    const found = order[nth]
    const index = found === undefined ? undefined : isThere.get(found)
    if (index !== undefined) return index
  }
  return by === 1 ? within(last) : within(0)
}

/** Returns which row of a list comes after or before the chosen one, also if that left the list. */
export function useSteps(rows: readonly string[], chosen: string | null): (by: 1 | -1) => number {
  const order = useRef(rows)
  useEffect(() => {
    if (chosen === null || rows.includes(chosen)) order.current = rows
  })
  return (by) => indexAfter(rows, chosen, order.current, by)
}
