import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Tag } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item } from '../../parts/item-list'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from './edit-menu'
import { useRefresh } from './use-refresh'

const COLORS = ['gray', 'blue', 'green', 'yellow', 'red', 'purple'] as const

/** The window in which a tag is added or changed. */
function TagDialog({ tag, onClose }: { tag: Tag | null; onClose: () => void }) {
  const [color, setColor] = useState<Tag['color']>(tag?.color ?? 'gray')
  const refresh = useRefresh('GET /api/tags')
  return (
    <FormDialog
      title={t(tag ? 'settings.tags.edit' : 'settings.tags.add')}
      submit={t('settings.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        const body = { name: textOf(data, 'name'), color }
        await (tag
          ? call('PUT /api/tags/{id}', { params: { id: tag.id }, body })
          : callOnce('POST /api/tags', { body }))
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={tag?.name ?? ''}
        isRequired
        maxLength={50}
        autoFocus
      />
      <Select
        label={t('settings.tags.color')}
        choices={COLORS.map((id) => ({ id, label: t(`settings.color.${id}`) }))}
        value={color}
        onChange={setColor}
      />
    </FormDialog>
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
          onDelete={() =>
            call('DELETE /api/tags/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
