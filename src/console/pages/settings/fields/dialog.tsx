import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { ContactAttribute } from '../../../api/shapes'
import { useDraft } from '../../../parts/draft'
import { EditDialog } from '../../../parts/edit-dialog'
import { TextArea, TextField } from '../../../parts/field'
import type { Merge } from '../../../parts/merge'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

/** What a custom field may hold. */
const TYPES = ['text', 'number', 'boolean', 'date', 'select', 'url', 'email'] as const

type Values = Pick<ContactAttribute, 'label' | 'key' | 'type' | 'updated_at'> & {
  /** One choice in each line. */
  options: string
}

const EMPTY: Values = { label: '', key: '', type: 'text', options: '', updated_at: '' }

const valuesOf = ({ label, key, type, options, updated_at }: ContactAttribute): Values => ({
  ...{ label, key, type, updated_at },
  options: options.join('\n'),
})

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as ContactAttribute),
  label: (field) => t(`fields.${field === 'updated_at' ? 'label' : field}`),
  show: (field, value) => (field === 'type' ? t(`fields.type.${value as Values['type']}`) : null),
}

/** Returns a short name as the API takes it, made of a name. */
const keyFrom = (label: string): string =>
  label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 50)

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Saves what was changed of a field. */
function change(
  id: string,
  { label, type, options }: Partial<Values>,
  seen: Values,
): Promise<unknown> {
  const isList = (type ?? seen.type) === 'select'
  const areChanged = options !== undefined || type !== undefined
  const listed = isList ? linesOf(options ?? seen.options) : []
  return call('PUT /api/contact-attributes/{id}', {
    params: { id },
    body: {
      ...(label === undefined ? {} : { label }),
      ...(type === undefined ? {} : { type }),
      ...(areChanged ? { options: listed } : {}),
    },
    ifMatch: seen.updated_at,
  })
}

const add = ({ label, key, type, options }: Values): Promise<unknown> =>
  callOnce('POST /api/contact-attributes', {
    body: {
      ...{ label, type, key: key || keyFrom(label) },
      ...(type === 'select' ? { options: linesOf(options) } : {}),
    },
  })

interface Props {
  field: ContactAttribute | null
  onClose: () => void
}

/** The window in which a custom field is added or changed. */
export function FieldDialog({ field, onClose }: Props) {
  const draft = useDraft(field ? valuesOf(field) : EMPTY)
  const refresh = useRefresh('GET /api/contact-attributes')
  const { value, set } = draft
  return (
    <EditDialog
      title={t(field ? 'fields.edit' : 'fields.add')}
      draft={draft}
      merge={MERGE}
      isNew={!field}
      onSave={async (changes, seen) => {
        await (field ? change(field.id, changes, seen) : add(value))
        await refresh()
      }}
      onClose={onClose}
    >
      <TextField
        name="label"
        label={t('fields.label')}
        value={value.label}
        onChange={(label) => {
          set({ label })
        }}
        isRequired
        maxLength={255}
        autoFocus
      />
      {!field && (
        <TextField
          name="key"
          label={t('fields.key')}
          hint={t('fields.key-hint')}
          placeholder={keyFrom(value.label)}
          value={value.key}
          onChange={(key) => {
            set({ key })
          }}
          isRequired={value.label !== '' && keyFrom(value.label) === ''}
          pattern="[a-z][a-z0-9_]{0,49}"
        />
      )}
      <Select
        name="type"
        label={t('fields.type')}
        {...(field ? { hint: t('fields.type-fixed') } : {})}
        choices={TYPES.map((id) => ({ id, label: t(`fields.type.${id}`) }))}
        value={value.type}
        onChange={(type) => {
          set({ type })
        }}
      />
      {value.type === 'select' && (
        <TextArea
          name="options"
          label={t('fields.options')}
          hint={t('fields.options-hint')}
          rows={5}
          value={value.options}
          onChange={(options) => {
            set({ options })
          }}
          isRequired
        />
      )}
    </EditDialog>
  )
}
