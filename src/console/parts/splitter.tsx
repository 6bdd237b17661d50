import type { KeyboardEvent, PointerEvent } from 'react'

import { usePreferences } from '../live/me'
import { setPreferences } from '../live/preferences'

interface Props {
  label: string
  /** Where the pane lies whose width it changes, in the direction of reading. */
  pane: 'before' | 'after'
  /** The preference that keeps the width on this device. */
  of: 'listPx' | 'panelPx'
  /** The width unless somebody changes it, pixels. */
  usual: number
}

const MIN_PX = 240
const MAX_PX = 560
const STEP_PX = 16

const clamped = (px: number): number => Math.round(Math.min(MAX_PX, Math.max(MIN_PX, px)))

/**
 * A line at the edge of a pane that changes its width: pulled, or moved with arrow keys. A double
 * click gives back the usual width.
 */
export function Splitter({ label, pane, of: name, usual }: Props) {
  const width = usePreferences()[name]
  const onWidth = (px: number | null): void => {
    setPreferences({ [name]: px })
  }
  const isReversed = document.documentElement.dir === 'rtl'
  /** How a way to the right changes the width. */
  const sign = (pane === 'before') === isReversed ? -1 : 1
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    const { currentTarget: line, clientX: from } = event
    const startPx = line.parentElement?.getBoundingClientRect().width ?? usual
    const move = ({ clientX }: globalThis.PointerEvent): void => {
      onWidth(clamped(startPx + sign * (clientX - from)))
    }
    // otherwise the browser selects text, or drags what is selected
    event.preventDefault()
    line.focus()
    line.setPointerCapture(event.pointerId)
    line.addEventListener('pointermove', move)
    line.addEventListener(
      'lostpointercapture',
      () => {
        line.removeEventListener('pointermove', move)
      },
      { once: true },
    )
  }
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    const way = key === 'ArrowRight' ? sign : key === 'ArrowLeft' ? -sign : 0
    if (way !== 0) onWidth(clamped((width ?? usual) + way * STEP_PX))
  }
  return (
    <div
      className={`splitter ${pane}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width ?? usual}
      aria-valuemin={MIN_PX}
      aria-valuemax={MAX_PX}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => {
        onWidth(null)
      }}
    />
  )
}
