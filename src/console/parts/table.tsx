import { useEffect } from 'react'

import { MOST_COUNTED } from '../live/row-window'
import type { Rows } from '../live/rows'
import { formatNumber } from '../texts/format'
import { t } from '../texts/texts'
import { Button, PlainButton } from './button'
import { Icon } from './icons'
import { useListKeys } from './list-keys'
import { keepPlace, placeHere } from './places'
import type { Selection } from './selection'
import { Empty, Problem, Skeleton } from './state'
import { classOf, type Column, type TableProps } from './table-row'
import { TableRows } from './table-rows'

export type { Column, Order } from './table-row'

/**
 * A list as a table with the rows in view only; on phones a list of cards. It scrolls with its page,
 * and "Back" returns to the same place.
 */
export function Table<T extends { id: string }>(props: TableProps<T>) {
  const { label, rows, columns, empty, onClear, menu, selection } = props
  const box = useListKeys<HTMLTableElement>()
  const { items } = rows
  useEffect(() => {
    const main = box.current?.closest('main')
    if (main && placeHere().key !== rows.key) {
      main.scrollTop = 0
      keepPlace({ key: rows.key, top: 0, row: null, sizes: new Map() })
    }
  }, [box, rows.key])
  if (rows.error !== null && items.length === 0)
    return <Problem error={rows.error} onRetry={rows.onRetry} />
  if (!rows.isLoading && items.length === 0)
    return onClear ? (
      <Empty icon="search" title={t('list.table.no-match')} hint={t('list.table.no-match-hint')}>
        <Button onPress={onClear}>{t('list.table.clear')}</Button>
      </Empty>
    ) : (
      empty
    )
  return (
    <>
      <table
        ref={box}
        className="table"
        aria-label={label}
        aria-rowcount={rows.total === null ? -1 : rows.total + 1}
        aria-busy={rows.isOld}
      >
        <thead>
          <tr aria-rowindex={1}>
            {selection && <SelectAll selection={selection} count={items.length} />}
            {columns.map((column) => (
              <Title key={column.id} column={column} {...props} />
            ))}
            {menu && (
              <th className="row-menu">
                <span className="visually-hidden">{t('parts.action.more')}</span>
              </th>
            )}
          </tr>
        </thead>
        {items.length > 0 && <TableRows {...props} />}
      </table>
      {rows.isLoading && <Skeleton rows={8} />}
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.onRetry} />}
      {rows.isCapped && (
        <p role="status" className="muted small">
          {t('list.table.capped', { count: rows.count })}
        </p>
      )}
    </>
  )
}

/** Selects the rows that are loaded, or none. */
function SelectAll({ selection, count }: { selection: Selection; count: number }) {
  const { size } = selection.ids
  const isAll = count > 0 && size >= count
  return (
    <th scope="col" className="row-select">
      <label className="row-checkbox">
        <input
          type="checkbox"
          aria-label={t('list.table.select-all')}
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = size > 0 && !isAll
          }}
          onChange={() => {
            if (isAll) selection.clear()
            else selection.selectLoaded()
          }}
        />
      </label>
    </th>
  )
}

/** The title of a column, which sorts by it if it can. */
function Title<T>({
  column,
  sort,
  onSort,
}: Pick<TableProps<T>, 'sort' | 'onSort'> & { column: Column<T> }) {
  const { id, label, width, sorts } = column
  const current = sort?.by === id ? sort.order : null
  return (
    <th
      scope="col"
      className={classOf(column)}
      style={{ flexGrow: width }}
      data-sorts={sorts !== undefined || undefined}
      aria-sort={current === null ? undefined : current === 'asc' ? 'ascending' : 'descending'}
    >
      {sorts === undefined ? (
        label
      ) : (
        <PlainButton
          className="sort"
          onPress={() => {
            onSort?.({
              by: id,
              order: current === null ? sorts : current === 'asc' ? 'desc' : 'asc',
            })
          }}
        >
          {label}
          {current !== null && <Icon name={current === 'asc' ? 'up' : 'down'} size={14} />}
        </PlainButton>
      )}
    </th>
  )
}

/** How many rows there are in all. */
export function Total({ rows }: { rows: Rows<unknown> }) {
  return (
    <p role="status" className="table-total muted small">
      {rows.items.length > 0 &&
        (rows.total === null
          ? t('list.table.total-many', { count: formatNumber(MOST_COUNTED) })
          : t('list.table.total', { count: rows.total }))}
    </p>
  )
}
