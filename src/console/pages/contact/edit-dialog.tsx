import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../api/client'
import type { ContactDetails } from '../../api/shapes'
import { changeData } from '../../live/change-data'
import { keyOf } from '../../live/query'
import { WRITTEN_FIELDS } from '../../parts/contact/written-fields'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { t } from '../../texts/texts'

const FIELDS = ['name', ...WRITTEN_FIELDS] as const

/** What people write about a contact. An empty name shows the one that the contact chose. */
export function EditDialog({ contact, onClose }: { contact: ContactDetails; onClose: () => void }) {
  const client = useQueryClient()
  const params = { id: contact.id }
  return (
    <FormDialog
      title={t('contact.edit')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        const texts = FIELDS.map((field) => [field, textOf(data, field).trim() || null] as const)
        // a name that is a hidden number must not be saved as it is shown
        const changed = texts.filter(([field, text]) => text !== contact[field])
        if (changed.length === 0) return
        const saved = await call('PUT /api/contacts/{id}', {
          params,
          body: Object.fromEntries(changed),
        })
        changeData<ContactDetails>(
          client,
          keyOf('GET /api/contacts/{id}', { params }),
          (known) => ({ ...known, ...saved }),
        )
      }}
    >
      <TextField
        name="name"
        label={t('contact.name')}
        hint={t('contact.name-hint')}
        defaultValue={contact.name ?? ''}
        autoFocus
      />
      {WRITTEN_FIELDS.map((field) => (
        <TextField
          key={field}
          name={field}
          label={t(`contact.field.${field}`)}
          defaultValue={contact[field] ?? ''}
        />
      ))}
    </FormDialog>
  )
}
