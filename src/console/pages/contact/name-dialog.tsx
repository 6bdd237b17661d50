import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../api/client'
import type { ContactDetails } from '../../api/shapes'
import { changeData } from '../../live/change-data'
import { keyOf } from '../../live/query'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { t } from '../../texts/texts'

/** The name that colleagues see; empty shows the name that the contact chose. */
export function NameDialog({ contact, onClose }: { contact: ContactDetails; onClose: () => void }) {
  const client = useQueryClient()
  const params = { id: contact.id }
  return (
    <FormDialog
      title={t('contact.rename')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        const name = textOf(data, 'name').trim()
        const saved = await call('PUT /api/contacts/{id}', {
          params,
          body: { name: name === '' ? null : name },
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
    </FormDialog>
  )
}
