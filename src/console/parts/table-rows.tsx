import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'

import { usePreferences } from '../live/me'
import type { Rows } from '../live/rows'
import { t } from '../texts/texts'
import { RowCheckbox } from './choice'
import { useKeys } from './keys'
import { useRowKeys } from './list-keys'
import { keepPlace, placeHere } from './places'
import { useRowMenu } from './row-menu'
import { selectKeys, type Selection } from './selection'

/** A column of a table, on phones a line of a card. */
export interface Column<T> {
  id: string
  label: string
  /** Its share of the width. */
  width: number
  /** Shown in a row; `null` for nothing. The first column says what the row is. */
  cell: (row: T) => ReactNode
  isNumber?: boolean
  /** Whether it goes where there is little room. */
  isExtra?: boolean
  /** The order that its title begins with, if it can sort. */
  sorts?: 'asc' | 'desc'
  /** Whether it is shown only to who chose it. */
  isOptional?: boolean
}

/** The column by which a table is sorted. */
export interface Order {
  by: string
  order: 'asc' | 'desc'
}

/** What a table takes. */
export interface TableProps<T> {
  label: string
  rows: Rows<T>
  columns: readonly Column<T>[]
  nameOf: (row: T) => string
  /** Items of the menu of a row, or nothing. */
  menu?: (row: T) => ReactNode
  sort?: Order
  onSort?: (order: Order) => void
  /** The rows that are changed together, if they can be. */
  selection?: Selection | undefined
  /** What is said if there is nothing at all. */
  empty: ReactNode
  /** Shows all rows again; absent if nothing is filtered. */
  onClear?: (() => void) | undefined
}

const ROW_PX = { comfortable: 48, compact: 36 }
/** Rows before the end at which more are loaded. */
const AHEAD = 10

/** The classes of the cells of a column. */
export const classOf = ({
  isNumber,
  isExtra,
}: Pick<Column<never>, 'isNumber' | 'isExtra'>): string =>
  `${isNumber ? 'number' : ''} ${isExtra ? 'extra' : ''}`

/** The rows. Space above and below stands for those out of view. */
export function TableRows<T extends { id: string }>(props: TableProps<T>) {
  const { items, onEnd } = props.rows
  const body = useRef<HTMLTableSectionElement>(null)
  const [place] = useState(placeHere)
  const { density } = usePreferences()
  const [abovePx, setAbovePx] = useState(0)
  const main = (): HTMLElement | null => body.current?.closest('main') ?? null
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: main,
    estimateSize: () => ROW_PX[density],
    overscan: 8,
    scrollMargin: abovePx,
    initialOffset: place.top,
    initialMeasurementsCache: place.sizes,
    getItemKey: (index) => items[index]?.id ?? index,
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
      keepPlace({ top: page.scrollTop, sizes: virtual.takeSnapshot() })
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
  useEnds(body, virtual, items.length)
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - AHEAD) onEnd()
  }, [last, items.length, onEnd])
  return (
    <tbody
      ref={body}
      style={{
        paddingBlockStart: shown[0] ? shown[0].start - abovePx : 0,
        paddingBlockEnd: virtual.getTotalSize() - ((shown.at(-1)?.end ?? abovePx) - abovePx),
      }}
    >
      {shown.map(({ index, key }) => {
        const row = items[index]
        return (
          row && (
            <Row key={key} {...props} row={row} index={index} measure={virtual.measureElement} />
          )
        )
      })}
    </tbody>
  )
}

/** Leads to the first and the last row with Home and End. */
function useEnds(
  body: RefObject<HTMLTableSectionElement | null>,
  virtual: Pick<Virtualizer<HTMLElement, Element>, 'scrollToIndex'>,
  count: number,
): void {
  const wanted = useRef<number | null>(null)
  const focus = (): void => {
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!row) return
    wanted.current = null
    row.focus({ preventScroll: true })
  }
  // a row that was out of view is drawn after the scrolling
  useEffect(focus)
  useKeys({
    Home: () => {
      wanted.current = 0
      body.current?.closest('main')?.scrollTo({ top: 0 })
      focus()
    },
    End: () => {
      wanted.current = count - 1
      virtual.scrollToIndex(count - 1)
      focus()
    },
  })
}

interface RowProps<T> extends Pick<TableProps<T>, 'columns' | 'menu' | 'nameOf' | 'selection'> {
  row: T
  index: number
  measure: (element: HTMLTableRowElement | null) => void
}

function Row<T extends { id: string }>(props: RowProps<T>) {
  const { columns, menu, nameOf, row, index, measure, selection } = props
  const {
    menu: actions,
    keys,
    ...events
  } = useRowMenu({ name: nameOf(row), size: 18, items: menu?.(row) })
  const element = useRowKeys<HTMLTableRowElement>({
    ...keys,
    Enter: () => {
      element.current?.querySelector('a')?.click()
    },
    ...(selection ? selectKeys(selection, row.id) : {}),
  })
  useLayoutEffect(() => {
    measure(element.current)
  })
  return (
    <tr
      ref={element}
      data-row
      data-id={row.id}
      data-index={index}
      tabIndex={-1}
      aria-rowindex={index + 2}
      data-selected={selection?.ids.has(row.id) || undefined}
      {...events}
      onClickCapture={() => {
        keepPlace({ row: row.id })
      }}
    >
      {selection && (
        <td
          className="row-select"
          onClickCapture={(event) => {
            if (!event.shiftKey) return
            event.preventDefault()
            selection.extendTo(row.id)
          }}
        >
          <RowCheckbox
            id={row.id}
            label={t('list.table.select', { name: nameOf(row) })}
            isSelected={selection.ids.has(row.id)}
            onToggle={selection.toggle}
          />
        </td>
      )}
      {columns.map((column, nth) => (
        <td
          key={column.id}
          data-first={nth === 0 || undefined}
          className={classOf(column)}
          style={{ flexGrow: column.width }}
          data-label={column.label}
        >
          {column.cell(row)}
        </td>
      ))}
      {menu && <td className="row-menu">{actions}</td>}
    </tr>
  )
}
