import { useNavigate } from '@tanstack/react-router'

import { callOnce } from '../../api/call-once'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** Adds a contact by its number, and shows it. */
export function NewContact({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title={t('contacts.new')}
      submit={t('contacts.add')}
      onClose={onClose}
      onSave={async (data) => {
        const name = textOf(data, 'name').trim()
        const made = await callOnce('POST /api/contacts', {
          body: {
            phone_number: textOf(data, 'phone_number').trim(),
            ...(name === '' ? {} : { name }),
          },
        })
        navigate({ to: '/contacts/$contactId', params: { contactId: made.id } }).catch(report)
      }}
    >
      <TextField
        name="phone_number"
        label={t('contacts.number')}
        hint={t('contacts.number-hint')}
        inputMode="tel"
        isRequired
        autoFocus
      />
      <TextField name="name" label={t('contact.name')} maxLength={255} />
    </FormDialog>
  )
}
