import { useLayoutEffect, type ReactNode } from 'react'

import type { Rows } from '../live/rows'
import { t } from '../texts/texts'
import { RowCheckbox } from './choice'
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

/** The classes of the cells of a column. */
export const classOf = ({
  isNumber,
  isExtra,
}: Pick<Column<never>, 'isNumber' | 'isExtra'>): string =>
  `${isNumber ? 'number' : ''} ${isExtra ? 'extra' : ''}`

interface RowProps<T> extends Pick<TableProps<T>, 'columns' | 'menu' | 'nameOf' | 'selection'> {
  row: T
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
