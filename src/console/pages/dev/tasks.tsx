import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { ApiError } from '../../api/error'
import { TextField } from '../../parts/field'
import { useShow } from '../../parts/list-page'
import { Section } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { Select } from '../../parts/select'
import { notify } from '../../parts/toast'
import { Wizard } from '../../parts/wizard'

/** The states of a job. */
const JOBS = {
  running: { done: 1_234, total: 20_000, state: 'running', leftMs: 240_000 },
  uncounted: { done: 1_234, total: null, state: 'running' },
  done: { done: 20_000, total: 20_000, state: 'done' },
  failed: { done: 1_234, total: 20_000, state: 'failed', error: 'error' },
} as const

/** A job in each of its states. */
export function ProgressPart() {
  const [job, setJob] = useState<keyof typeof JOBS>('running')
  return (
    <Section title="Progress">
      <div className="form dev-parts">
        <Select
          label="state"
          choices={Object.keys(JOBS).map((id) => ({ id: id as keyof typeof JOBS, label: id }))}
          value={job}
          onChange={setJob}
        />
        <Progress
          key={job}
          label="Progress"
          {...JOBS[job]}
          counts={[
            { label: 'counts', count: 1_197 },
            { label: 'invalid', count: 37 },
          ]}
          onBackground={() => {
            notify(job)
          }}
          onCancel={() => {
            setJob('failed')
          }}
        >
          <Link to="/dev/parts" search={{ step: 'first' }}>
            {job}
          </Link>
        </Progress>
        <Link to="/dev/parts" search={{ step: 'first' }}>
          {Wizard.name}
        </Link>
      </div>
    </Section>
  )
}

type StepName = 'first' | 'second' | 'last'

/** A task in three steps, of which the second one is refused while its field is empty. */
export function WizardPart({ step }: { step: StepName }) {
  const show = useShow<{ step: StepName | undefined }>()
  const [name, setName] = useState('')
  return (
    <Wizard
      title="Wizard"
      steps={[
        { id: 'first', label: 'first', isDone: true },
        { id: 'second', label: 'second', isDone: name !== '' },
        { id: 'last', label: 'last', isDone: false, isBlocked: name === '' && step !== 'second' },
      ]}
      step={step}
      onStep={(id) => {
        show({ step: id })
      }}
      onSave={() =>
        step === 'second' && name === ''
          ? Promise.reject(
              new ApiError(400, 'invalid_input', '', {
                retryAfterS: null,
                requestId: null,
                details: null,
                fields: [{ path: 'body.name', message: 'is required' }],
              }),
            )
          : Promise.resolve()
      }
      onLeave={() => {
        show({ step: undefined })
      }}
      finish={{
        label: 'finish',
        onFinish: () => {
          show({ step: undefined })
          return Promise.resolve()
        },
      }}
    >
      {step === 'second' ? (
        <TextField name="name" label="TextField" value={name} onChange={setName} />
      ) : (
        <p>{step}</p>
      )}
    </Wizard>
  )
}
