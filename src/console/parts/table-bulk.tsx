import { useState, type ReactNode } from 'react'

import type { Rows } from '../live/rows'
import { formatNumber } from '../texts/format'
import { t } from '../texts/texts'
import { IconButton, PlainButton } from './button'
import { useKeys } from './keys'
import type { Selection } from './selection'
import { report } from './toast'

/** Rows of a table that are changed together. */
export interface Selected<T> {
  /** The ones that are loaded and selected. */
  rows: readonly T[]
  /** Whether all rows that match are meant, loaded or not. */
  isAll: boolean
  count: number
  /** Ends the selection. */
  clear: () => void
}

interface Props<T> {
  selection: Selection
  rows: Rows<T>
  /** Buttons for what can be done with them. */
  children: (selected: Selected<T>) => ReactNode
}

/** How many rows are selected and what can be done with them, in place of the search. */
export function TableBulk<T extends { id: string }>({ selection, rows, children }: Props<T>) {
  const [isCounting, setCounting] = useState(false)
  const { items, total } = rows
  const chosen = items.filter(({ id }) => selection.ids.has(id))
  const count = selection.isAll ? (selection.all ?? chosen.length) : chosen.length
  useKeys({ Escape: selection.clear })
  const selectAll = (): void => {
    setCounting(true)
    rows
      .countAll()
      .then(selection.selectAll)
      .catch(report)
      .finally(() => {
        setCounting(false)
      })
  }
  if (count === 0) return null
  const hasMore = !selection.isAll && total !== chosen.length
  return (
    <div className="table-bulk" role="toolbar" aria-label={t('list.bulk.title')}>
      <p>
        <IconButton icon="close" size={18} label={t('list.bulk.clear')} onPress={selection.clear} />
        <b role="status">{t('list.bulk.count', { count })}</b>
        {hasMore && (
          <PlainButton className="link" isPending={isCounting} onPress={selectAll}>
            {total === null
              ? t('list.bulk.all-many')
              : t('list.bulk.all', { count: formatNumber(total) })}
          </PlainButton>
        )}
      </p>
      <div className="bulk-buttons">
        {children({ rows: chosen, isAll: selection.isAll, count, clear: selection.clear })}
      </div>
    </div>
  )
}
