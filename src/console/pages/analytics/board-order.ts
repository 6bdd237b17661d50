import type { Widget } from '../../api/shapes'

/** Returns widgets of which one has another place. */
export const moved = (widgets: readonly Widget[], from: number, to: number): readonly Widget[] => {
  const one = widgets[from]
  return one === undefined || to < 0 || to >= widgets.length
    ? widgets
    : widgets.toSpliced(from, 1).toSpliced(to, 0, one)
}

const idsOf = (widgets: readonly Widget[]): string[] => widgets.map(({ id }) => id)

/**
 * Returns a board that two people changed at the same time, with the changes of both: what one added,
 * removed, moved and made larger. Where both changed a widget, the own change counts.
 */
export function joined(
  seen: readonly Widget[],
  mine: readonly Widget[],
  theirs: readonly Widget[],
): Widget[] {
  const find = (widgets: readonly Widget[], id: string): Widget | undefined =>
    widgets.find((one) => one.id === id)
  const kept = theirs
    .filter(({ id }) => !find(seen, id) || find(mine, id))
    .map((one) => {
      const own = find(mine, one.id)
      return own && JSON.stringify(own) !== JSON.stringify(find(seen, one.id)) ? own : one
    })
  const known = idsOf(mine).filter((id) => find(seen, id))
  const isMoved =
    known.join() !==
    idsOf(seen)
      .filter((id) => find(mine, id))
      .join()
  const placeOf = ({ id }: Widget): number => (known.includes(id) ? known.indexOf(id) : mine.length)
  const inOrder = isMoved ? kept.toSorted((one, other) => placeOf(one) - placeOf(other)) : kept
  return [...inOrder, ...mine.filter(({ id }) => !find(seen, id))]
}

/** How far an arrow key moves a widget: up and back are towards the beginning. */
export const stepOf = ({ key }: { key: string }, isFromRight: boolean): -1 | 0 | 1 => {
  if (key === 'ArrowUp' || key === (isFromRight ? 'ArrowRight' : 'ArrowLeft')) return -1
  return key === 'ArrowDown' || key === (isFromRight ? 'ArrowLeft' : 'ArrowRight') ? 1 : 0
}
