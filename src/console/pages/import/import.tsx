import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { report } from '../../parts/toast'
import { Wizard, type Step } from '../../parts/wizard'
import { t } from '../../texts/texts'
import { Columns, problemOfColumns } from './columns'
import { FileStep } from './file-step'
import { Known, type Choices } from './known'

type StepId = 'file' | 'columns' | 'known'
type Preview = Data<'POST /api/import/{table}/preview'>

/** A file that is about to be imported. It is in the memory of this page only. */
interface Chosen {
  file: File
  columns: Preview['columns']
  /** What each column was corrected to, by its heading. */
  keys: Record<string, string | null>
}

/** Asks step by step for a file of people, and what its columns are. */
export function Import() {
  if (useCan('contacts:import')) return <Steps />
  return (
    <Page title={t('import.title')}>
      <Guarded needs="contacts:import">{null}</Guarded>
    </Page>
  )
}

const keysOf = (columns: Preview['columns']): Chosen['keys'] =>
  Object.fromEntries(columns.map(({ header, key }) => [header, key]))

function Steps() {
  const navigate = useNavigate()
  const [step, setStep] = useState<StepId>('file')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [choices, setChoices] = useState<Choices>({ updates: true, country: null })
  const known = useApi('GET /api/import/{table}/config', { params: { table: 'contacts' } })
  const fields = known.data?.columns ?? []
  const problem = chosen ? problemOfColumns(fields, chosen.keys) : t('import.file.missing')
  const steps: Step<StepId>[] = [
    { id: 'file', label: t('import.step.file'), isDone: chosen !== null },
    {
      ...{ id: 'columns', label: t('import.step.columns') },
      ...{ isDone: problem === null, isBlocked: chosen === null },
    },
    {
      ...{ id: 'known', label: t('import.step.known') },
      ...{ isDone: false, isBlocked: problem !== null },
    },
  ]
  const check = async (): Promise<void> => {
    if (!chosen) return
    const body = new FormData()
    body.set('file', chosen.file)
    body.set('table', 'contacts')
    body.set('column_mapping', JSON.stringify(chosen.keys))
    body.set('update_on_duplicate', String(choices.updates))
    if (choices.country !== null) body.set('default_country', choices.country)
    const { id } = await call('POST /api/import', { body })
    await navigate({ to: '/contacts/import/$importId', params: { importId: id } })
  }
  return (
    <Wizard
      title={t('import.title')}
      steps={steps}
      step={step}
      onStep={setStep}
      leave={t('parts.action.cancel')}
      onLeave={() => {
        navigate({ to: '/contacts', search: {} }).catch(report)
      }}
      finish={{ label: t('import.check.action'), onFinish: check, isDisabled: problem !== null }}
    >
      {step === 'file' && known.data && (
        <FileStep
          name={chosen?.file.name ?? null}
          maxBytes={known.data.max_bytes}
          onFile={async (file, signal) => {
            const body = new FormData()
            body.set('file', file)
            const { columns } = await call('POST /api/import/{table}/preview', {
              params: { table: 'contacts' },
              body,
              signal,
            })
            setChosen({ file, columns, keys: keysOf(columns) })
            setStep('columns')
          }}
        />
      )}
      {step === 'columns' && chosen && (
        <Columns
          columns={chosen.columns}
          fields={fields}
          keys={chosen.keys}
          problem={problem}
          onChange={(keys) => {
            setChosen({ ...chosen, keys })
          }}
        />
      )}
      {step === 'known' && <Known value={choices} onChange={setChoices} />}
    </Wizard>
  )
}
