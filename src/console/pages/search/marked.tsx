import type { ReactNode } from 'react'

/** A text in which the found places are marked. `ranges` are pairs of start and end. */
export function Marked({ text, ranges }: { text: string; ranges: readonly number[][] }) {
  const parts: ReactNode[] = []
  let end = 0
  for (const [from = 0, to = 0] of ranges) {
    if (from < end) continue
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>)
    end = to
  }
  parts.push(text.slice(end))
  return <bdi>{parts}</bdi>
}
