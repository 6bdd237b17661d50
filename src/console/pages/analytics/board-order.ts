import type { Widget } from '../../api/shapes'

/** Returns widgets of which one has another place. */
export const moved = (widgets: readonly Widget[], from: number, to: number): readonly Widget[] => {
  const one = widgets[from]
  return one === undefined || to < 0 || to >= widgets.length
    ? widgets
    : widgets.toSpliced(from, 1).toSpliced(to, 0, one)
}

/** How far an arrow key moves a widget: up and back are towards the beginning. */
export const stepOf = ({ key }: { key: string }, isFromRight: boolean): -1 | 0 | 1 => {
  if (key === 'ArrowUp' || key === (isFromRight ? 'ArrowRight' : 'ArrowLeft')) return -1
  return key === 'ArrowDown' || key === (isFromRight ? 'ArrowLeft' : 'ArrowRight') ? 1 : 0
}
