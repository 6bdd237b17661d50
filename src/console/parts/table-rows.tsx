import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

import { usePreferences } from '../live/me'
import type { Rows } from '../live/rows'
import { useKeys } from './keys'
import { useIsNarrow } from './narrow'
import { keepPlace, placeHere } from './places'
import { Row, type TableProps } from './table-row'
import { report } from './toast'

const ROW_PX = { comfortable: 48, compact: 36 }
/** The usual height of a card on a phone. */
const CARD_PX = 92

/** What the virtualizer takes of rows that were drawn before: their sizes by their keys. */
const measured = (sizes: ReturnType<typeof placeHere>['sizes']): VirtualItem[] =>
  [...sizes].map(([key, size]) => ({ key, size, index: 0, start: 0, end: 0, lane: 0 }))

/** The rows. Space above and below stands for those out of view. */
export function TableRows<T extends { id: string }>(props: TableProps<T>) {
  const { count, at, onView } = props.rows
  const body = useRef<HTMLTableSectionElement>(null)
  const [place] = useState(placeHere)
  const [sizes] = useState(() => measured(place.sizes))
  const { density } = usePreferences()
  const isNarrow = useIsNarrow()
  const [abovePx, setAbovePx] = useState(0)
  const main = (): HTMLElement | null => body.current?.closest('main') ?? null
  const virtual = useVirtualizer({
    count,
    getScrollElement: main,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX[density]),
    overscan: 8,
    scrollMargin: abovePx,
    initialOffset: place.top,
    initialMeasurementsCache: sizes,
    // of many rows, it is asked for all keys whenever this changes
    getItemKey: useCallback((index: number) => at.get(index)?.id ?? index, [at]),
  })
  useLayoutEffect(() => {
    const page = main()
    if (!page || !body.current) return
    const { top } = body.current.getBoundingClientRect()
    setAbovePx(Math.round(top - page.getBoundingClientRect().top + page.scrollTop))
  })
  useLayoutEffect(() => {
    const page = main()
    if (!page) return
    page.scrollTop = place.top
    const onScroll = (): void => {
      keepPlace({ top: page.scrollTop, sizes: virtual.itemSizeCache })
    }
    page.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      page.removeEventListener('scroll', onScroll)
    }
  }, [place, virtual])
  const shown = virtual.getVirtualItems()
  const opened = useRef(place.row)
  useEffect(() => {
    const id = opened.current
    if (id === null || shown.length === 0) return
    opened.current = null
    const row = body.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)
    // after the heading of the page, which takes the focus of a page that opens
    queueMicrotask(() => row?.focus({ preventScroll: true }))
  })
  useEnds(body, virtual, props.rows)
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0]
  useEffect(() => {
    onView({ first, last })
  })
  return (
    <tbody
      ref={body}
      style={{
        paddingBlockStart: shown[0] ? shown[0].start - abovePx : 0,
        paddingBlockEnd: virtual.getTotalSize() - ((shown.at(-1)?.end ?? abovePx) - abovePx),
      }}
    >
      {shown.map(({ index, key, size }) => {
        const row = at.get(index)
        return row ? (
          <Row
            key={key}
            {...props}
            row={row}
            index={index}
            at={at}
            measure={virtual.measureElement}
          />
        ) : (
          <tr key={key} className="row-outline" style={{ blockSize: size }} aria-hidden>
            <td className="skeleton" />
          </tr>
        )
      })}
    </tbody>
  )
}

/** Leads to the first and the last row with Home and End. */
function useEnds(
  body: RefObject<HTMLTableSectionElement | null>,
  virtual: Pick<Virtualizer<HTMLElement, Element>, 'scrollToIndex'>,
  { count, countAll }: Pick<Rows<unknown>, 'count' | 'countAll'>,
): void {
  const wanted = useRef<'first' | 'last' | null>(null)
  const scrolledTo = useRef<number | null>(null)
  const go = (): void => {
    if (wanted.current === null) return
    const index = wanted.current === 'first' ? 0 : count - 1
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (row) {
      wanted.current = null
      row.focus({ preventScroll: true })
    } else if (scrolledTo.current !== index) {
      scrolledTo.current = index
      virtual.scrollToIndex(index)
    }
  }
  // a row that was out of view is drawn after the scrolling, and after it was loaded
  useEffect(go)
  const start = (end: 'first' | 'last'): void => {
    wanted.current = end
    scrolledTo.current = null
    go()
  }
  useKeys({
    Home: () => {
      body.current?.closest('main')?.scrollTo({ top: 0 })
      start('first')
    },
    End: () => {
      countAll()
        .then(() => {
          start('last')
        })
        .catch(report)
    },
  })
}
