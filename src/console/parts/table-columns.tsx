import { Fragment } from 'react'

import { keepUi, useUi } from '../live/ui'
import { t } from '../texts/texts'
import { Button, IconButton } from './button'
import { Checkbox } from './choice'
import { Popover } from './popover'
import type { Column } from './table-row'
import { report } from './toast'

/** Columns of a table as its user chose them: which ones, in which order. */
interface Chosen<T> {
  /** All columns, those that are shown first and in their order. */
  all: readonly Column<T>[]
  shown: readonly Column<T>[]
  /** Shows these columns in this order; `null` shows the usual ones again. */
  choose: (ids: readonly string[] | null) => void
}

const idsIn = (kept: unknown): string[] | null => {
  const ids: unknown =
    typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'columns') : null
  return Array.isArray(ids) ? ids.map(String) : null
}

/** Returns the columns of a table as its user chose them. The first one, which names a row, stays. */
export function useColumns<T>(screen: string, columns: readonly Column<T>[]): Chosen<T> {
  const name = `table.${screen}`
  const wanted = idsIn(useUi(name))
  const [first, ...others] = columns
  const shown =
    wanted === null
      ? others.filter(({ isOptional = false }) => !isOptional)
      : wanted.flatMap((id) => others.find((one) => one.id === id) ?? [])
  const fixed = first ? [first] : []
  return {
    shown: [...fixed, ...shown],
    all: [...fixed, ...shown, ...others.filter((one) => !shown.includes(one))],
    choose: (ids) => {
      keepUi(name, ids === null ? undefined : { columns: ids }).catch(report)
    },
  }
}

/** Returns a list in which an entry changed its place by a step. */
function moved(ids: readonly string[], id: string, by: 1 | -1): string[] {
  const at = ids.indexOf(id)
  const without = ids.filter((one) => one !== id)
  return [...without.slice(0, at + by), id, ...without.slice(at + by)]
}

/** Chooses the columns of a table and their order. */
export function ColumnPicker<T>({ columns: { all, shown, choose } }: { columns: Chosen<T> }) {
  const ids = shown.slice(1).map(({ id }) => id)
  const label = t('list.columns.title')
  return (
    <Popover label={label} button={<IconButton icon="settings" label={label} />}>
      <div className="column-picker">
        <h3>{label}</h3>
        <div className="column-choices">
          {all.slice(1).map(({ id, label: name }) => {
            const at = ids.indexOf(id)
            return (
              <Fragment key={id}>
                <Checkbox
                  isSelected={at !== -1}
                  onChange={(isOn) => {
                    choose(isOn ? [...ids, id] : ids.filter((one) => one !== id))
                  }}
                >
                  <bdi>{name}</bdi>
                </Checkbox>
                <IconButton
                  icon="up"
                  size={16}
                  label={t('list.columns.earlier', { name })}
                  isDisabled={at < 1}
                  onPress={() => {
                    choose(moved(ids, id, -1))
                  }}
                />
                <IconButton
                  icon="down"
                  size={16}
                  label={t('list.columns.later', { name })}
                  isDisabled={at === -1 || at === ids.length - 1}
                  onPress={() => {
                    choose(moved(ids, id, 1))
                  }}
                />
              </Fragment>
            )
          })}
        </div>
        <Button
          look="quiet"
          onPress={() => {
            choose(null)
          }}
        >
          {t('list.columns.usual')}
        </Button>
      </div>
    </Popover>
  )
}
