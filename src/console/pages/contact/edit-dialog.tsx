import { useQueryClient } from '@tanstack/react-query'

import { call, type Body } from '../../api/client'
import type { ContactAttribute, ContactDetails } from '../../api/shapes'
import { changeData } from '../../live/change-data'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { WRITTEN_FIELDS } from '../../parts/contact/written-fields'
import { useDraft } from '../../parts/draft'
import { EditDialog as MergingDialog } from '../../parts/edit-dialog'
import { TextField } from '../../parts/field'
import { useCustomFields } from '../../parts/filter/fields'
import { FoundName, FoundSelect } from '../../parts/found-select'
import type { Merge } from '../../parts/merge'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'

const FIELDS = ['name', 'phone_number', ...WRITTEN_FIELDS] as const

const NOBODY = 'nobody'
/** Begins the name of a field that the organization made. */
const OWN = 'attributes.'

/** What the window shows of a contact, by the names of its fields. */
type Values = Record<string, string> & { updated_at: string }

const wordsOf = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value as string | number)

const valuesOf = (contact: ContactDetails, own: readonly ContactAttribute[]): Values => ({
  ...Object.fromEntries(FIELDS.map((field) => [field, contact[field] ?? ''])),
  ...Object.fromEntries(own.map(({ key }) => [OWN + key, wordsOf(contact.attributes[key])])),
  owner: contact.assigned_user?.id ?? NOBODY,
  updated_at: contact.updated_at,
})

/** What people call a field. */
const labelOf = (field: string, own: readonly ContactAttribute[]): string => {
  if (field === 'name') return t('contact.name')
  if (field === 'phone_number') return t('contacts.number')
  if (field === 'owner') return t('parts.contact.owner')
  const written = WRITTEN_FIELDS.find((one) => one === field)
  return written
    ? t(`contact.field.${written}`)
    : (own.find(({ key }) => OWN + key === field)?.label ?? field)
}

/** How the window shows what somebody else saved meanwhile. */
const mergeOf = (own: readonly ContactAttribute[]): Merge<Values> => ({
  read: (present) => valuesOf(present as ContactDetails, own),
  label: (field) => labelOf(field, own),
  show: (field, value) =>
    field !== 'owner' ? null : value === NOBODY ? (
      t('parts.contact.nobody')
    ) : (
      <FoundName kind="colleague" id={String(value)} />
    ),
})

/** Returns what an organization's field holds, as the API takes it; an emptied one is `null`. */
const readOwn = ({ type }: ContactAttribute, text: string): unknown => {
  if (text === '') return null
  if (type === 'number') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}

/** Returns the changes as the API takes them, `null` if only the owner changed. */
function bodyOf(
  changes: Partial<Values>,
  own: readonly ContactAttribute[],
): Body<'PUT /api/contacts/{id}'> | null {
  const text = (field: string): string | undefined => changes[field]?.trim()
  const fields = FIELDS.filter((field) => field in changes)
  const changed = own.filter(({ key }) => OWN + key in changes)
  if (fields.length + changed.length === 0) return null
  const attributes = changed.map((field) => [
    field.key,
    readOwn(field, text(OWN + field.key) ?? ''),
  ])
  return {
    ...Object.fromEntries(fields.map((field) => [field, text(field) || null])),
    ...(changed.length === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  }
}

/** What people write about a contact. An empty name shows the one that the contact chose. */
export function EditDialog({ contact, onClose }: { contact: ContactDetails; onClose: () => void }) {
  const client = useQueryClient()
  const params = { id: contact.id }
  const own = useCustomFields().data?.items ?? []
  const mayAssign = useCan('contacts:update', 'transfers:assign')
  const draft = useDraft(valuesOf(contact, own))
  const field = (name: string): FieldProps => ({
    name,
    value: draft.value[name] ?? '',
    onChange: (text) => {
      draft.set({ [name]: text } as Partial<Values>)
    },
  })
  return (
    <MergingDialog
      title={t('contact.edit')}
      draft={draft}
      merge={mergeOf(own)}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        // a name that is a hidden number must not be saved as it is shown
        const body = bodyOf(changes, own)
        const saved = body && (await call('PUT /api/contacts/{id}', { params, body, ifMatch }))
        const { owner } = changes
        if (owner !== undefined)
          await call('PUT /api/contacts/{id}/assign', {
            params,
            body: { user_id: owner === NOBODY ? null : owner },
          })
        if (saved)
          changeData<ContactDetails>(
            client,
            keyOf('GET /api/contacts/{id}', { params }),
            (known) => ({ ...known, ...saved }),
          )
      }}
    >
      <TextField
        {...field('name')}
        label={labelOf('name', own)}
        hint={t('contact.name-hint')}
        autoFocus
      />
      <TextField {...field('phone_number')} label={labelOf('phone_number', own)} inputMode="tel" />
      {mayAssign && (
        <FoundSelect
          {...field('owner')}
          kind="colleague"
          label={labelOf('owner', own)}
          first={[{ id: NOBODY, label: t('parts.contact.nobody') }]}
        />
      )}
      {WRITTEN_FIELDS.map((name) => (
        <TextField key={name} {...field(name)} label={labelOf(name, own)} />
      ))}
      {own.map((one) => (
        <OwnField key={one.key} own={one} field={field(OWN + one.key)} />
      ))}
    </MergingDialog>
  )
}

/** A field of the window. */
interface FieldProps {
  name: string
  value: string
  onChange: (text: string) => void
}

const KINDS = { number: 'number', date: 'date', url: 'url', email: 'email', text: 'text' } as const

/** A field that the organization made. */
function OwnField({ own, field }: { own: ContactAttribute; field: FieldProps }) {
  const { label, type, options } = own
  if (type !== 'select' && type !== 'boolean')
    return <TextField {...field} label={label} type={KINDS[type]} />
  const choices =
    type === 'boolean'
      ? [
          { id: 'true', label: t('filter.op.yes') },
          { id: 'false', label: t('filter.op.no') },
        ]
      : options.map((id) => ({ id, label: id }))
  return (
    <Select
      {...field}
      label={label}
      choices={[{ id: '', label: t('contact.choice-none') }, ...choices]}
    />
  )
}
