import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Tag } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { useDraft } from '../../parts/draft'
import { typedFor } from '../../parts/dialog'
import { EditDialog } from '../../parts/edit-dialog'
import { TextField } from '../../parts/field'
import { Item } from '../../parts/item-list'
import type { Merge } from '../../parts/merge'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from '../../parts/edit-menu'
import { useRefresh } from '../../live/use-refresh'

const COLORS = ['gray', 'blue', 'green', 'yellow', 'red', 'purple'] as const

type Values = Pick<Tag, 'name' | 'color' | 'updated_at'>

const EMPTY: Values = { name: '', color: 'gray', updated_at: '' }

const valuesOf = ({ name, color, updated_at }: Tag): Values => ({ name, color, updated_at })

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Tag),
  label: (field) => t(field === 'color' ? 'settings.tags.color' : 'settings.field.name'),
  show: (field, value) =>
    field === 'color' ? t(`settings.color.${value as Values['color']}`) : null,
}

/** The window in which a tag is added or changed. */
function TagDialog({ tag, onClose }: { tag: Tag | null; onClose: () => void }) {
  const draft = useDraft(tag ? valuesOf(tag) : EMPTY)
  const refresh = useRefresh('GET /api/tags')
  const { value, set } = draft
  return (
    <EditDialog
      title={t(tag ? 'settings.tags.edit' : 'settings.tags.add')}
      draft={draft}
      merge={MERGE}
      isNew={!tag}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const { name, color } = value
        await (tag
          ? call('PUT /api/tags/{id}', { params: { id: tag.id }, body: changes, ifMatch })
          : callOnce('POST /api/tags', { body: { name, color } }))
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
        maxLength={50}
        autoFocus
      />
      <Select
        label={t('settings.tags.color')}
        choices={COLORS.map((id) => ({ id, label: t(`settings.color.${id}`) }))}
        value={value.color}
        onChange={(color) => {
          set({ color })
        }}
      />
    </EditDialog>
  )
}

/** The tags of the organization. */
export function Tags() {
  const { edited, deleted, edit, remove, close } = useEditing<Tag>()
  const canRead = useCan('tags:read')
  const canAdd = useCan('tags:create')
  const canEdit = useCan('tags:update')
  const canDelete = useCan('tags:delete')
  const result = useApi('GET /api/tags', { query: { page: usePage(), limit: 50 } }, canRead)
  const refresh = useRefresh('GET /api/tags')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.tags.title')}
      hint={t('settings.tags.hint')}
      needs="tags:read"
      add={canAdd ? { label: t('settings.tags.add'), onPress: add } : null}
      empty={{
        icon: 'tag',
        title: t('settings.tags.empty'),
        hint: t('settings.tags.empty-hint'),
      }}
      result={result}
      row={(tag) => (
        <Item
          key={tag.id}
          mark={<span className={`tag-dot large tag-${tag.color}`} aria-hidden="true" />}
          name={tag.name}
          hint={t('settings.tags.contacts', { count: tag.contact_count ?? 0 })}
          menu={editMenu({
            onEdit: canEdit
              ? () => {
                  edit(tag)
                }
              : null,
            onDelete: canDelete
              ? () => {
                  remove(tag)
                }
              : null,
          })}
        />
      )}
    >
      {edited && <TagDialog tag={edited === 'new' ? null : edited} onClose={close} />}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.tags.delete', { count: deleted.contact_count ?? 0 })}
          typed={typedFor(deleted.contact_count ?? 0)}
          onDelete={() =>
            call('DELETE /api/tags/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
