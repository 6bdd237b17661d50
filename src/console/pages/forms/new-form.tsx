import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { useApi } from '../../live/query'
import { useCan } from '../../live/me'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { CATEGORY_OF, exampleOf, EXAMPLES, type Example } from './examples'

/** The window in which a form begins from an example. It leads to its editor. */
export function NewForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [example, setExample] = useState<Example>('feedback')
  const [chosen, setChosen] = useState<string | null>(null)
  const mayRead = useCan('accounts:read')
  const first = useApi('GET /api/accounts', { query: { limit: 1 } }, mayRead).data?.items[0]?.id
  const accountId = chosen ?? first ?? null
  return (
    <FormDialog
      title={t('forms.new')}
      submit={t('forms.create')}
      isDisabled={accountId === null}
      onClose={onClose}
      onSave={async (data) => {
        if (accountId === null) return
        const { id } = await callOnce('POST /api/flows', {
          body: {
            account_id: accountId,
            name: textOf(data, 'name'),
            categories: [CATEGORY_OF[example]],
            json_definition: exampleOf(example),
          },
        })
        navigate({ to: '/forms/$formId', params: { formId: id } }).catch(report)
      }}
    >
      <TextField
        name="name"
        label={t('forms.name')}
        hint={t('forms.name-hint')}
        isRequired
        maxLength={200}
        autoFocus
      />
      <FoundSelect
        kind="account"
        label={t('forms.number')}
        value={accountId}
        onChange={setChosen}
      />
      <Select
        label={t('forms.example')}
        choices={EXAMPLES.map((id) => ({ id, label: t(`forms.example.${id}`) }))}
        value={example}
        onChange={setExample}
      />
    </FormDialog>
  )
}
