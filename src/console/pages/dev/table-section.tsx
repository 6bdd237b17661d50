import { useState } from 'react'

import type { Rows } from '../../live/rows'
import { Button } from '../../parts/button'
import { Confirm, typedFor } from '../../parts/dialog'
import { MenuItem } from '../../parts/menu'
import { Select } from '../../parts/select'
import { useSelection } from '../../parts/selection'
import { Empty } from '../../parts/state'
import { Table, Total, type Column, type Order } from '../../parts/table'
import { TableBulk } from '../../parts/table-bulk'
import { ColumnPicker, useColumns } from '../../parts/table-columns'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'

/** What a table is shown in. */
const TABLES = ['rows', 'loading', 'error', 'none', 'no match', 'old', 'capped'] as const

interface Fruit {
  id: string
  name: string
  count: number
}

const FRUIT: readonly Fruit[] = Array.from({ length: 200 }, (_, nth) => ({
  id: String(nth),
  name: `Table ${nth} ${'x'.repeat(nth % 60)}`,
  count: nth ** 3,
}))
const ROWS: Rows<Fruit> = {
  key: 'fruit',
  items: [...FRUIT],
  at: new Map(FRUIT.entries()),
  gaps: new Set(),
  count: FRUIT.length,
  total: null,
  isLoading: false,
  isOld: false,
  error: null,
  isCapped: false,
  countAll: () => Promise.resolve(123_456),
  onView: () => undefined,
  pin: () => undefined,
  onRetry: () => undefined,
}
const STATES_OF_ROWS: Record<(typeof TABLES)[number], Partial<Rows<Fruit>>> = {
  rows: {},
  loading: { items: [], isLoading: true },
  error: { items: [], error: new TypeError() },
  none: { items: [], total: 0 },
  'no match': { items: [], total: 0 },
  old: { isOld: true },
  capped: { isCapped: true },
}
const COLUMNS: Column<Fruit>[] = [
  {
    ...{ id: 'name', label: 'name', width: 2, sorts: 'asc' },
    cell: ({ name }) => <a href="#content">{name}</a>,
  },
  {
    ...{ id: 'state', label: 'cell', width: 1 },
    cell: ({ count }) => (
      <span className={count % 2 === 0 ? 'chip good' : 'chip danger'}>{count % 7}</span>
    ),
  },
  { id: 'extra', label: 'isExtra', width: 1, isExtra: true, cell: ({ id }) => id },
  {
    ...{ id: 'count', label: 'isNumber', width: 1, isNumber: true, sorts: 'desc' },
    cell: ({ count }) => formatNumber(count),
  },
]

/** A table in one of its states. */
export function TableSection() {
  const [state, setState] = useState<(typeof TABLES)[number]>('rows')
  const [asked, setAsked] = useState<number | null>(null)
  const [sort, setSort] = useState<Order>({ by: 'count', order: 'asc' })
  const rows = { ...ROWS, ...STATES_OF_ROWS[state] }
  const selection = useSelection(rows.items, state)
  const columns = useColumns('dev', COLUMNS)
  return (
    <>
      <div className="filter-bar">
        <Select
          label="Table"
          choices={TABLES.map((id) => ({ id, label: id }))}
          value={state}
          onChange={setState}
        />
        <Total rows={rows} />
        <ColumnPicker columns={columns} />
      </div>
      <TableBulk selection={selection} rows={rows}>
        {({ count }) => (
          <Button
            look="quiet"
            onPress={() => {
              setAsked(count)
            }}
          >
            {t('parts.action.more')}
          </Button>
        )}
      </TableBulk>
      <Table
        label="Table"
        rows={rows}
        columns={columns.shown}
        selection={selection}
        nameOf={({ name }) => name}
        menu={() => <MenuItem label="MenuItem" />}
        sort={sort}
        onSort={setSort}
        empty={<Empty title="empty" />}
        onClear={
          state === 'no match'
            ? () => {
                setState('rows')
              }
            : undefined
        }
      />
      {asked !== null && (
        <Confirm
          isOpen
          title="Confirm"
          text="text"
          action="action"
          typed={typedFor(asked)}
          onConfirm={selection.clear}
          onClose={() => {
            setAsked(null)
          }}
        />
      )}
    </>
  )
}
