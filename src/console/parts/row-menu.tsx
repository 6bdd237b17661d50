import { useState, type MouseEvent, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { IconButton } from './button'
import type { Keys } from './keys'
import { DeleteOnly, Menu } from './menu'

interface Props {
  /** The row, as people call it. */
  name: string
  size?: number
  /** Items of the menu, or nothing. */
  items: ReactNode
}

interface RowMenu {
  menu: ReactNode
  keys: Keys
  /** Opens the menu by the key for menus, which is pressed on the row itself. */
  onContextMenu?: (event: MouseEvent) => void
}

/** Returns the menu of a row, and the keys that open it and delete the row where it can be. */
export function useRowMenu({ name, size = 20, items }: Props): RowMenu {
  const [isOpen, setOpen] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  if (items === undefined || items === null || items === false) return { menu: null, keys: {} }
  const label = t('list.item.actions', { name })
  const open = (): void => {
    setOpen(true)
  }
  const remove = (): void => {
    setDeleting(true)
  }
  return {
    keys: { m: open, 'Shift+F10': open, Delete: remove },
    onContextMenu: (event) => {
      if (event.target !== event.currentTarget) return
      event.preventDefault()
      open()
    },
    menu: (
      <>
        <Menu
          label={label}
          button={<IconButton icon="more" label={label} size={size} />}
          isOpen={isOpen}
          onOpenChange={setOpen}
        >
          {items}
        </Menu>
        {isDeleting && (
          <DeleteOnly
            onDone={() => {
              setDeleting(false)
            }}
          >
            {items}
          </DeleteOnly>
        )}
      </>
    ),
  }
}
