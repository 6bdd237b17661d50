import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../api/client'
import type { ContactAttribute, ContactDetails } from '../../api/shapes'
import { changeData } from '../../live/change-data'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { WRITTEN_FIELDS } from '../../parts/contact/written-fields'
import { TextField, textOf } from '../../parts/field'
import { useCustomFields } from '../../parts/filter/fields'
import { FormDialog } from '../../parts/form-dialog'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'

const FIELDS = ['name', 'phone_number', ...WRITTEN_FIELDS] as const

const NOBODY = 'nobody'

/** What people write about a contact. An empty name shows the one that the contact chose. */
export function EditDialog({ contact, onClose }: { contact: ContactDetails; onClose: () => void }) {
  const client = useQueryClient()
  const params = { id: contact.id }
  const own = useCustomFields().data?.items ?? []
  const mayAssign = useCan('contacts:update', 'transfers:assign')
  const before = contact.assigned_user?.id ?? NOBODY
  const [owner, setOwner] = useState(before)
  return (
    <FormDialog
      title={t('contact.edit')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        const texts = FIELDS.map((field) => [field, textOf(data, field).trim() || null] as const)
        // a name that is a hidden number must not be saved as it is shown
        const changed = texts.filter(([field, text]) => text !== contact[field])
        const attributes = changedAttributes(contact, own, data)
        if (owner !== before)
          await call('PUT /api/contacts/{id}/assign', {
            params,
            body: { user_id: owner === NOBODY ? null : owner },
          })
        if (changed.length === 0 && attributes === null) return
        const saved = await call('PUT /api/contacts/{id}', {
          params,
          body: { ...Object.fromEntries(changed), ...(attributes ? { attributes } : {}) },
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
      <TextField
        name="phone_number"
        label={t('contacts.number')}
        inputMode="tel"
        defaultValue={contact.phone_number ?? ''}
      />
      {mayAssign && (
        <FoundSelect
          kind="colleague"
          label={t('parts.contact.owner')}
          first={[{ id: NOBODY, label: t('parts.contact.nobody') }]}
          value={owner}
          onChange={setOwner}
        />
      )}
      {WRITTEN_FIELDS.map((field) => (
        <TextField
          key={field}
          name={field}
          label={t(`contact.field.${field}`)}
          defaultValue={contact[field] ?? ''}
        />
      ))}
      {own.map((field) => (
        <OwnField key={field.key} field={field} value={contact.attributes[field.key]} />
      ))}
    </FormDialog>
  )
}

const nameOf = (key: string): string => `attributes.${key}`

const KINDS = { number: 'number', date: 'date', url: 'url', email: 'email', text: 'text' } as const

/** A field that the organization made. */
function OwnField({ field, value }: { field: ContactAttribute; value: unknown }) {
  const { key, label, type, options } = field
  const words = value === undefined || value === null ? '' : String(value as string | number)
  const [chosen, setChosen] = useState(words)
  if (type !== 'select' && type !== 'boolean')
    return <TextField name={nameOf(key)} label={label} type={KINDS[type]} defaultValue={words} />
  const choices =
    type === 'boolean'
      ? [
          { id: 'true', label: t('filter.op.yes') },
          { id: 'false', label: t('filter.op.no') },
        ]
      : options.map((id) => ({ id, label: id }))
  return (
    <>
      <Select
        label={label}
        choices={[{ id: '', label: t('contact.choice-none') }, ...choices]}
        value={chosen}
        onChange={setChosen}
      />
      <input type="hidden" name={nameOf(key)} value={chosen} />
    </>
  )
}

/** Returns the fields of the organization that were changed; an emptied one is `null`. */
function changedAttributes(
  contact: ContactDetails,
  own: readonly ContactAttribute[],
  data: FormData,
): Record<string, unknown> | null {
  const changed = own.flatMap(({ key, type }): [string, unknown][] => {
    const text = textOf(data, nameOf(key)).trim()
    const value =
      text === ''
        ? null
        : type === 'number'
          ? Number(text)
          : type === 'boolean'
            ? text === 'true'
            : text
    return value === (contact.attributes[key] ?? null) ? [] : [[key, value]]
  })
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
