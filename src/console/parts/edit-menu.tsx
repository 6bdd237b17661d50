import { useState, type ReactNode } from 'react'

import { MenuItem } from './menu'
import { t } from '../texts/texts'

/** Which item of a list is being changed or deleted. */
export interface Editing<T> {
  /** The item whose window is open; `new` for one that is being added. */
  edited: T | 'new' | null
  deleted: T | null
  edit: (item: T | 'new') => void
  remove: (item: T) => void
  close: () => void
}

/** Returns which item of a list is being changed or deleted. */
export function useEditing<T>(): Editing<T> {
  const [edited, setEdited] = useState<{ item: T | 'new' } | null>(null)
  const [deleted, setDeleted] = useState<{ item: T } | null>(null)
  return {
    edited: edited?.item ?? null,
    deleted: deleted?.item ?? null,
    edit: (item) => {
      setEdited({ item })
    },
    remove: (item) => {
      setDeleted({ item })
    },
    close: () => {
      setEdited(null)
      setDeleted(null)
    },
  }
}

interface MenuOptions {
  /** `null` without the right to. */
  onEdit: (() => void) | null
  onDelete: (() => void) | null
  /** The word for deleting, if it is another. */
  deleteLabel?: string
  /** Further items, in the middle. */
  more?: ReactNode
}

/** Returns the menu of an item that can be changed and deleted, or `null` without a right. */
export function editMenu({ onEdit, onDelete, deleteLabel, more }: MenuOptions): ReactNode {
  if (!onEdit && !onDelete && !more) return null
  return (
    <>
      {onEdit && <MenuItem icon="edit" label={t('settings.action.edit')} onAction={onEdit} />}
      {more}
      {onDelete && (
        <MenuItem
          icon="trash"
          isDangerous
          label={deleteLabel ?? t('settings.action.delete')}
          onAction={onDelete}
        />
      )}
    </>
  )
}
