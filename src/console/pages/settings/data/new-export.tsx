import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Export } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Checkbox } from '../../../parts/choice'
import { FormDialog } from '../../../parts/form-dialog'
import { Select } from '../../../parts/select'
import { notify } from '../../../parts/toast'
import { findText, t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

const FORMATS = ['csv', 'jsonl'] as const

interface Column {
  key: string
  label: string
}

interface ColumnsProps {
  columns: readonly Column[]
  chosen: readonly string[]
  /** Is told the column that is chosen, or no longer. */
  onToggle: (key: string) => void
}

/** Returns the word for a column; one of a custom field has the name of the field. */
const labelOf = ({ key, label }: Column): string => findText(`exports.column.${key}`) ?? label

/** The columns of a table, of which each can be left out. */
function Columns({ columns, chosen, onToggle }: ColumnsProps) {
  return (
    <fieldset className="rights">
      <legend>{t('exports.columns')}</legend>
      {columns.map((column) => (
        <Checkbox
          key={column.key}
          isSelected={chosen.includes(column.key)}
          onChange={() => {
            onToggle(column.key)
          }}
        >
          <bdi>{labelOf(column)}</bdi>
        </Checkbox>
      ))}
    </fieldset>
  )
}

/** The window in which an export begins: what is in it, and what kind of file it is. */
export function NewExport({ onClose }: { onClose: () => void }) {
  const seesMessages = useCan('messages:read')
  const seesTags = useCan('tags:read')
  const tables = (['contacts', 'messages', 'tags'] as const).filter(
    (one) => (one !== 'messages' || seesMessages) && (one !== 'tags' || seesTags),
  )
  const [table, setTable] = useState<Export['table']>('contacts')
  const [format, setFormat] = useState<Export['format']>('csv')
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const canExport = useCan('contacts:export')
  const params = { table }
  const config = useApi('GET /api/export/{table}/config', { params }, canExport).data
  const known = config?.columns ?? []
  const columns = known
    .filter(({ key, required: isUsual }) => isUsual !== changed.has(key))
    .map(({ key }) => key)
  const refresh = useRefresh('GET /api/exports')
  return (
    <FormDialog
      title={t('exports.add')}
      submit={t('exports.begin')}
      size="medium"
      isDisabled={config !== undefined && columns.length === 0}
      onClose={onClose}
      onSave={async () => {
        const some = changed.size > 0 ? { columns } : {}
        await callOnce('POST /api/export', { body: { table, format, ...some } })
        notify(t('exports.begun'))
        await refresh()
      }}
    >
      <Select
        label={t('exports.table')}
        choices={tables.map((id) => ({ id, label: t(`exports.table.${id}`) }))}
        value={table}
        onChange={(next) => {
          setTable(next)
          setChanged(new Set())
        }}
      />
      <Select
        label={t('exports.format')}
        choices={FORMATS.map((id) => ({ id, label: t(`exports.format.${id}`) }))}
        value={format}
        onChange={setFormat}
      />
      <Columns
        columns={known}
        chosen={columns}
        onToggle={(key) => {
          const next = new Set(changed)
          if (!next.delete(key)) next.add(key)
          setChanged(next)
        }}
      />
    </FormDialog>
  )
}
