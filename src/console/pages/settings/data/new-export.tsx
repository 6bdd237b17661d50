import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Export } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Checkbox } from '../../../parts/choice'
import { FormDialog } from '../../../parts/form-dialog'
import { Select } from '../../../parts/select'
import { notify } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

const FORMATS = ['csv', 'jsonl'] as const

/** The columns of a table, of which each can be left out. */
function Columns({
  columns,
  left,
  onChange,
}: {
  columns: readonly { key: string; label: string }[]
  /** Those that are left out. */
  left: ReadonlySet<string>
  onChange: (left: ReadonlySet<string>) => void
}) {
  return (
    <fieldset className="rights">
      <legend>{t('exports.columns')}</legend>
      {columns.map(({ key, label }) => (
        <Checkbox
          key={key}
          isSelected={!left.has(key)}
          onChange={(isOn) => {
            const next = new Set(left)
            if (isOn) next.delete(key)
            else next.add(key)
            onChange(next)
          }}
        >
          <bdi>{label}</bdi>
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
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const canExport = useCan('contacts:export')
  const params = { table }
  const config = useApi('GET /api/export/{table}/config', { params }, canExport).data
  const keys = (config?.columns ?? []).map(({ key }) => key)
  const columns = keys.filter((key) => !left.has(key))
  const refresh = useRefresh('GET /api/exports')
  return (
    <FormDialog
      title={t('exports.add')}
      submit={t('exports.begin')}
      size="medium"
      isDisabled={config !== undefined && columns.length === 0}
      onClose={onClose}
      onSave={async () => {
        const some = left.size > 0 && columns.length > 0 ? { columns } : {}
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
          setLeft(new Set())
        }}
      />
      <Select
        label={t('exports.format')}
        choices={FORMATS.map((id) => ({ id, label: t(`exports.format.${id}`) }))}
        value={format}
        onChange={setFormat}
      />
      <Columns columns={config?.columns ?? []} left={left} onChange={setLeft} />
    </FormDialog>
  )
}
