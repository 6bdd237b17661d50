import { useState } from 'react'

import { ApiError } from '../../api/error'
import { TextField } from '../../parts/field'
import { useShow } from '../../parts/list-page'
import { Wizard } from '../../parts/wizard'

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
