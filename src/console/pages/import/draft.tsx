import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { call, type Body } from '../../api/client'
import { keyOf, useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Loaded } from '../../parts/loaded'
import { report } from '../../parts/toast'
import { Wizard } from '../../parts/wizard'
import { t } from '../../texts/texts'
import { Columns, problemOfColumns, type Keys } from './columns'
import { Known } from './known'
import type { Import } from './state'
import { stepsOf } from './steps'

type Change = Omit<Body<'PUT /api/imports/{id}'>, 'column_mapping'> & { column_mapping?: Keys }

/** A file whose columns are chosen. It lies on the server, with each step that was saved. */
export function Draft({ one }: { one: Import }) {
  const { id } = one
  const client = useQueryClient()
  const navigate = useNavigate()
  const { step: asked } = useSearch({ from: '/contacts/import/$importId' })
  const step = asked ?? 'columns'
  const [change, setChange] = useState<Change>({})
  const columns = useApi('GET /api/imports/{id}/columns', { params: { id } })
  const known = useApi('GET /api/import/{table}/config', { params: { table: 'contacts' } })
  const fields = known.data?.columns ?? []
  const saved = Object.fromEntries(one.columns.map(({ header, key }) => [header, key]))
  const keys = { ...saved, ...change.column_mapping }
  const headings = one.columns.map(({ header }) => header)
  const problem = problemOfColumns(fields, keys, headings)
  const keep = (changed: Import): void => {
    client.setQueryData(keyOf('GET /api/imports/{id}', { params: { id } }), changed)
  }
  const save = async (): Promise<void> => {
    if (Object.keys(change).length === 0) return
    keep(await call('PUT /api/imports/{id}', { params: { id }, body: change }))
    setChange({})
  }
  const leave = (): void => {
    navigate({ to: '/contacts/import' }).catch(report)
  }
  return (
    <Wizard
      title={one.filename}
      steps={stepsOf({ hasFile: true, isReady: problem === null })}
      step={step}
      onStep={(next) => {
        if (next === 'file') leave()
        else navigate({ to: '.', search: { step: next } }).catch(report)
      }}
      onSave={save}
      onLeave={leave}
      actions={<GiveUp one={one} onDone={leave} />}
      finish={{
        label: t('import.check.action'),
        isDisabled: problem !== null,
        onFinish: async () => {
          await save()
          keep(await call('POST /api/imports/{id}/check', { params: { id } }))
        },
      }}
    >
      {step === 'columns' && (
        <Loaded result={columns} rows={6}>
          {({ columns: found }) => (
            <Columns
              columns={found}
              fields={fields}
              keys={keys}
              problem={known.data ? problem : null}
              onChange={(next) => {
                setChange({ ...change, column_mapping: next })
              }}
            />
          )}
        </Loaded>
      )}
      {step === 'known' && (
        <Known
          value={{
            updates: change.update_on_duplicate ?? one.update_on_duplicate,
            country:
              change.default_country === undefined ? one.default_country : change.default_country,
          }}
          onChange={({ updates, country }) => {
            setChange({ ...change, update_on_duplicate: updates, default_country: country })
          }}
        />
      )}
    </Wizard>
  )
}

/** Ends an import that was not finished; its file is deleted. */
function GiveUp({ one: { id }, onDone }: { one: Import; onDone: () => void }) {
  const client = useQueryClient()
  return (
    <Button
      look="quiet"
      icon="trash"
      onPress={() => {
        call('POST /api/imports/{id}/cancel', { params: { id } })
          .then(() => client.invalidateQueries({ queryKey: ['GET /api/imports'] }))
          .then(onDone)
          .catch(report)
      }}
    >
      {t('import.give-up')}
    </Button>
  )
}
