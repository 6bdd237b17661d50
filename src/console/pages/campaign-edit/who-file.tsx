import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call, type Data } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { SearchSelect } from '../../parts/search-select'
import { Trouble } from '../../parts/state'
import { fileForServer, fileSentence } from '../../parts/table-file'
import { Upload } from '../../parts/upload'
import { t } from '../../texts/texts'
import { mappingOf, roleOf, type Roles } from './file-roles'
import { useKeep } from './use-save'
import { useFileUpload } from '../../parts/use-file-upload'

type Columns = Data<'POST /api/import/{table}/preview'>['columns']
type Done = Data<'POST /api/campaigns/{id}/recipients/import'>

/** A file that is about to become the list. */
interface Chosen {
  file: File
  columns: Columns
  roles: Roles
}

interface Props {
  /** Whether there is a list that the file takes the place of. */
  hasList: boolean
  onSave: () => Promise<Campaign>
}

const NONE = 'none'

/** A file of people with values of their own: which column is the number, and which the name. */
export function ListFile({ hasList, onSave }: Props) {
  const known = useApi('GET /api/import/{table}/config', { params: { table: 'contacts' } })
  const keep = useKeep()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const { isBusy, error, run, cancel } = useFileUpload()
  const [done, setDone] = useState<Done | null>(null)
  const read = (given: File): void => {
    run(async (signal) => {
      const file = await fileForServer(given)
      const body = new FormData()
      body.set('file', file)
      const params = { table: 'contacts' } as const
      const { columns } = await call('POST /api/import/{table}/preview', { params, body, signal })
      setDone(null)
      setChosen({ file, columns, roles: roleOf(columns) })
    })
  }
  const send = ({ file, columns, roles }: Chosen): void => {
    run(async (signal) => {
      const { id } = await onSave()
      const body = new FormData()
      body.set('file', file)
      body.set('column_mapping', JSON.stringify(mappingOf(columns, roles)))
      body.set('replace', 'true')
      const params = { id }
      setDone(await call('POST /api/campaigns/{id}/recipients/import', { params, body, signal }))
      setChosen(null)
      keep(await call('GET /api/campaigns/{id}', { params }))
    })
  }
  return (
    <>
      {known.data && (
        <Upload
          label={t('import.step.file')}
          hint={t('import.file.hint')}
          accept=".csv,.tsv,.txt,.xlsx,.json"
          maxBytes={known.data.max_bytes}
          isBusy={isBusy}
          onFile={read}
          onCancel={cancel}
        />
      )}
      {chosen && (
        <div className="wizard-file">
          <RoleFields
            columns={chosen.columns}
            roles={chosen.roles}
            onChange={(roles) => {
              setChosen({ ...chosen, roles })
            }}
          />
          <p className="muted small">{t('wizard.file.others')}</p>
          <p>
            <Button
              look="primary"
              isPending={isBusy}
              isDisabled={chosen.roles.phone === null}
              onPress={() => {
                send(chosen)
              }}
            >
              {t(hasList ? 'wizard.file.replace' : 'wizard.file.take', { name: chosen.file.name })}
            </Button>
          </p>
        </div>
      )}
      {error !== null && <Trouble>{fileSentence(error)}</Trouble>}
      {done && <Outcome done={done} />}
    </>
  )
}

function RoleFields({
  columns,
  roles,
  onChange,
}: {
  columns: Columns
  roles: Roles
  onChange: (roles: Roles) => void
}) {
  const choices = columns.map(({ header, examples }) => ({
    id: header,
    label: header,
    hint: examples.slice(0, 3).join(' · '),
  }))
  return (
    <div className="wizard-row wide">
      <SearchSelect
        label={t('wizard.file.phone')}
        choices={choices}
        value={roles.phone}
        onChange={(phone) => {
          onChange({ ...roles, phone })
        }}
      />
      <SearchSelect
        label={t('wizard.file.name')}
        choices={[{ id: NONE, label: t('wizard.file.no-name') }, ...choices]}
        value={roles.name ?? NONE}
        onChange={(id) => {
          onChange({ ...roles, name: id === NONE ? null : id })
        }}
      />
    </div>
  )
}

/** What became of the rows of a file. */
function Outcome({ done }: { done: Done }) {
  if (!('imported' in done))
    return (
      <p role="status">
        {t('wizard.file.later', { count: done.rows_total })}{' '}
        <Link to="/contacts/import/$importId" params={{ importId: done.id }} search={{}}>
          {t('wizard.file.watch')}
        </Link>
      </p>
    )
  const { imported, duplicates, invalid, errors } = done
  return (
    <div role="status">
      <p>{t('wizard.file.done', { imported, duplicates, invalid })}</p>
      {errors.length > 0 && (
        <ul className="import-problems small">
          {errors.map(({ row, phone_number: number, reason }) => (
            <li key={row}>
              <b>{t('import.row', { row })}</b> <bdi>{number}</bdi> <span dir="auto">{reason}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
