import { useState } from 'react'

import { saveFile } from '../../../api/save-file'
import type { Export } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Item } from '../../../parts/item-list'
import { report } from '../../../parts/toast'
import { formatBytes, formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Collection, usePage } from '../collection'
import { NewExport } from './new-export'

/** How the state of a file that is written looks. */
export const LOOKS = {
  ...{ queued: '', running: '', completed: 'good', failed: 'danger', expired: '' },
} as const

/** Returns when an export was asked for, what is in it, and how long it is kept. */
const hintOf = ({ created_at: at, rows, bytes, status, ...rest }: Export): string =>
  [
    formatDateTime(at),
    rows > 0 && t('exports.rows', { count: rows }),
    status === 'completed' && formatBytes(bytes),
    status === 'completed' &&
      rest.expires_at !== null &&
      t('exports.until', { time: formatDateTime(rest.expires_at) }),
    rest.error !== null && rest.error.message,
  ]
    .filter((fact) => fact !== false)
    .join(' · ')

const save = ({ id, table, format, created_at: at }: Export): void => {
  const name = `${table}-${at.slice(0, 10)}.${format}`
  saveFile('GET /api/exports/{id}/download', { params: { id } }, name).catch(report)
}

/** The files that were written of tables, and those that are being written. */
export function Exports() {
  const [isAdding, setAdding] = useState(false)
  const canExport = useCan('contacts:export')
  const result = useApi('GET /api/exports', { query: { page: usePage(), limit: 20 } }, canExport)
  const add = (): void => {
    setAdding(true)
  }
  return (
    <Collection
      title={t('exports.title')}
      hint={t('exports.hint')}
      needs="contacts:export"
      add={canExport ? { label: t('exports.add'), onPress: add } : null}
      empty={{ icon: 'download', title: t('exports.empty'), hint: t('exports.empty-hint') }}
      result={result}
      row={(one) => (
        <Item
          key={one.id}
          name={t(`exports.table.${one.table}`)}
          badge={
            <span className={`chip ${LOOKS[one.status]}`}>{t(`exports.state.${one.status}`)}</span>
          }
          hint={hintOf(one)}
          actions={
            one.status === 'completed' && (
              <Button
                icon="download"
                aria-label={t('exports.download-of', { name: t(`exports.table.${one.table}`) })}
                onPress={() => {
                  save(one)
                }}
              >
                {t('exports.download')}
              </Button>
            )
          }
        />
      )}
    >
      {isAdding && (
        <NewExport
          onClose={() => {
            setAdding(false)
          }}
        />
      )}
    </Collection>
  )
}
