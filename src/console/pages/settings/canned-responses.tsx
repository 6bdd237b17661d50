import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { CannedResponse } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { useDraft, type Draft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { TextArea, TextField } from '../../parts/field'
import { Item } from '../../parts/item-list'
import type { Merge } from '../../parts/merge'
import { PhonePreview } from '../../parts/phone/preview'
import { t, type TextKey } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from '../../parts/edit-menu'
import { useRefresh } from '../../live/use-refresh'

type Values = Pick<CannedResponse, 'name' | 'content' | 'category' | 'is_active' | 'updated_at'> & {
  shortcut: string
}

const EMPTY: Values = {
  ...{ name: '', shortcut: '', content: '', category: 'general', is_active: true },
  updated_at: '',
}

const valuesOf = (response: CannedResponse): Values => ({
  name: response.name,
  shortcut: response.shortcut ?? '',
  content: response.content,
  category: response.category,
  is_active: response.is_active,
  updated_at: response.updated_at,
})

/** Returns values as the API takes them. */
function bodyOf(values: Partial<Values>) {
  const { shortcut, category, updated_at: _, ...rest } = values
  return {
    ...rest,
    ...(shortcut === undefined ? {} : { shortcut: shortcut || null }),
    ...(category === undefined ? {} : { category: category || 'general' }),
  }
}

const LABELS = {
  name: 'settings.field.name',
  shortcut: 'settings.canned.shortcut',
  content: 'settings.canned.content',
  category: 'settings.canned.category',
  is_active: 'settings.canned.active',
  updated_at: 'settings.field.name',
} as const

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as CannedResponse),
  label: (field) => t(LABELS[field]),
}

/** What stands in place of the words between braces in the preview. */
const EXAMPLES: readonly [variable: RegExp, text: TextKey][] = [
  [/\{\{\s*contact_name\s*\}\}/g, 'settings.canned.example.contact'],
  [/\{\{\s*phone_number\s*\}\}/g, 'settings.canned.example.phone'],
  [/\{\{\s*agent_name\s*\}\}/g, 'settings.canned.example.agent'],
]

/** A text as a customer reads it. */
const filled = (content: string): string =>
  EXAMPLES.reduce((text, [variable, key]) => text.replaceAll(variable, t(key)), content)

interface DialogProps {
  response: CannedResponse | null
  onClose: () => void
}

/** The fields of a canned response. */
function ResponseFields({ draft: { value, set } }: { draft: Draft<Values> }) {
  return (
    <div className="form">
      <TextField
        name="name"
        label={t('settings.field.name')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
        maxLength={100}
        autoFocus
      />
      <TextField
        name="shortcut"
        label={t('settings.canned.shortcut')}
        hint={t('settings.canned.shortcut-hint')}
        value={value.shortcut}
        onChange={(shortcut) => {
          set({ shortcut })
        }}
      />
      <TextArea
        name="content"
        label={t('settings.canned.content')}
        hint={t('settings.canned.content-hint', {
          variables: '{{contact_name}}, {{phone_number}}, {{agent_name}}',
        })}
        value={value.content}
        onChange={(text) => {
          set({ content: text })
        }}
        rows={6}
        isRequired
        maxLength={4_096}
      />
      <TextField
        name="category"
        label={t('settings.canned.category')}
        value={value.category}
        onChange={(category) => {
          set({ category })
        }}
        maxLength={50}
      />
      <Switch
        isSelected={value.is_active}
        onChange={(isOn) => {
          set({ is_active: isOn })
        }}
      >
        {t('settings.canned.active')}
      </Switch>
    </div>
  )
}

/** The window in which a canned response is added or changed, with the text as a customer reads it. */
function ResponseDialog({ response, onClose }: DialogProps) {
  const draft = useDraft(response ? valuesOf(response) : EMPTY)
  const refresh = useRefresh('GET /api/canned-responses')
  const { value } = draft
  return (
    <EditDialog
      title={t(response ? 'settings.canned.edit' : 'settings.canned.add')}
      size="large"
      draft={draft}
      merge={MERGE}
      isNew={!response}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const { name, content: text } = value
        await (response
          ? call('PUT /api/canned-responses/{id}', {
              params: { id: response.id },
              body: bodyOf(changes),
              ifMatch,
            })
          : callOnce('POST /api/canned-responses', {
              body: { ...bodyOf(value), name, content: text },
            }))
        await refresh()
      }}
    >
      <div className="beside">
        <ResponseFields draft={draft} />
        <PhonePreview
          message={{ header: null, body: filled(value.content), footer: '', buttons: [] }}
        />
      </div>
    </EditDialog>
  )
}

/** Texts that people insert into their replies. */
export function CannedResponses() {
  const { edited, deleted, edit, remove, close } = useEditing<CannedResponse>()
  const canRead = useCan('canned_responses:read')
  const canAdd = useCan('canned_responses:create')
  const canEdit = useCan('canned_responses:update')
  const canDelete = useCan('canned_responses:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/canned-responses', { query }, canRead)
  const refresh = useRefresh('GET /api/canned-responses')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.canned.title')}
      hint={t('settings.canned.hint')}
      needs="canned_responses:read"
      add={canAdd ? { label: t('settings.canned.add'), onPress: add } : null}
      empty={{
        icon: 'bolt',
        title: t('settings.canned.empty'),
        hint: t('settings.canned.empty-hint'),
      }}
      result={result}
      row={(response) => (
        <Item
          key={response.id}
          name={response.name}
          badge={
            <>
              {response.shortcut !== null && <kbd dir="ltr">/{response.shortcut}</kbd>}
              {!response.is_active && <span className="chip">{t('settings.state.inactive')}</span>}
            </>
          }
          hint={<bdi>{response.content}</bdi>}
          menu={editMenu({
            onEdit: canEdit
              ? () => {
                  edit(response)
                }
              : null,
            onDelete: canDelete
              ? () => {
                  remove(response)
                }
              : null,
          })}
        />
      )}
    >
      {edited && <ResponseDialog response={edited === 'new' ? null : edited} onClose={close} />}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.canned.delete')}
          onDelete={() =>
            call('DELETE /api/canned-responses/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
