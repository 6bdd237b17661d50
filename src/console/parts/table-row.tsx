import { useLayoutEffect, type HTMLAttributes, type ReactNode } from 'react'

import type { Rows } from '../live/rows'
import { t } from '../texts/texts'
import { RowCheckbox } from './choice'
import type { Keys } from './keys'
import { useRowKeys } from './list-keys'
import { keepPlace } from './places'
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

/** Where a row is put: before or behind another one. */
export type Side = 'before' | 'behind'

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
  /** Puts a row elsewhere, if the order of the rows is people's own. */
  onPlace?: ((row: T, side: Side, of: T) => void) | undefined
  /** What is said if there is nothing at all. */
  empty: ReactNode
  /** Shows all rows again; absent if nothing is filtered. */
  onClear?: (() => void) | undefined
}

/** The classes of the cells of a column. */
export const classOf = ({
  isNumber,
  isExtra,
}: Pick<Column<never>, 'isNumber' | 'isExtra'>): string =>
  `${isNumber ? 'number' : ''} ${isExtra ? 'extra' : ''}`

interface RowProps<T> extends Pick<
  TableProps<T>,
  'columns' | 'menu' | 'nameOf' | 'selection' | 'onPlace'
> {
  row: T
  /** The rows before and behind it, and all that are loaded, by their places. */
  at: ReadonlyMap<number, T>
  index: number
  measure: (element: HTMLTableRowElement | null) => void
}

/** A row, on phones a card. */
export function Row<T extends { id: string }>(props: RowProps<T>) {
  const { columns, menu, nameOf, row, index, measure, selection } = props
  const {
    menu: actions,
    keys,
    ...events
  } = useRowMenu({ name: nameOf(row), size: 18, items: menu?.(row) })
  const order = useOrder(props)
  const element = useRowKeys<HTMLTableRowElement>({
    ...keys,
    ...order.keys,
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
      {...order.dragging}
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

/** Returns how a row is put elsewhere: by keys, or by dragging it onto another one. */
function useOrder<T extends { id: string }>({
  row,
  index,
  at,
  onPlace,
}: RowProps<T>): {
  keys: Keys
  dragging: HTMLAttributes<HTMLTableRowElement>
} {
  if (!onPlace) return { keys: {}, dragging: {} }
  const step = (by: 1 | -1) => () => {
    const other = at.get(index + by)
    if (other) onPlace(row, by === 1 ? 'behind' : 'before', other)
  }
  return {
    keys: { 'Shift+ArrowUp': step(-1), 'Shift+ArrowDown': step(1) },
    dragging: {
      draggable: true,
      onDragStart: ({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData(DRAGGED, String(index))
      },
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return
        event.preventDefault()
        event.currentTarget.dataset['over'] = ''
      },
      onDragLeave: ({ currentTarget }) => {
        delete currentTarget.dataset['over']
      },
      onDrop: (event) => {
        delete event.currentTarget.dataset['over']
        const from = Number(event.dataTransfer.getData(DRAGGED))
        const dragged = at.get(from)
        if (dragged && from !== index) onPlace(dragged, from < index ? 'behind' : 'before', row)
      },
    },
  }
}

/** What a row that is dragged carries: its place. */
const DRAGGED = 'application/x-row'
