import { createContext, useContext, useEffect, type ReactNode } from 'react'
import {
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection as AriaMenuSection,
  MenuTrigger,
  Popover,
  type MenuItemProps,
  type MenuSectionProps,
  type PopoverProps,
} from 'react-aria-components'

import { Icon, type IconName } from './icons'

interface MenuProps {
  /** The button that opens the menu. */
  button: ReactNode
  label: string
  placement?: PopoverProps['placement']
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  children: ReactNode
}

/** A button with a menu. */
export function Menu({ button, label, placement = 'bottom end', children, ...open }: MenuProps) {
  return (
    <MenuTrigger {...open}>
      {button}
      <Popover className="popover menu" placement={placement} offset={4}>
        <AriaMenu aria-label={label} className="list-box">
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

interface ItemProps extends Omit<MenuItemProps, 'className' | 'children'> {
  icon?: IconName
  label: string
  /** A key that does the same. */
  shortcut?: string
  /** A short fact at the end, such as a number. */
  detail?: string
  isDangerous?: boolean
}

/** Whether items are only looked through for the one that deletes. */
const IsDelete = createContext(false)

/** Does what the item of a menu does that deletes, without showing the menu. */
export function DeleteOnly({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  useEffect(onDone)
  return <IsDelete value>{children}</IsDelete>
}

/** An item of a menu. The one with the icon `trash` deletes, also by its key. */
export function MenuItem(props: ItemProps) {
  const isDelete = useContext(IsDelete)
  const { icon, isDisabled = false, onAction } = props
  const isWanted = isDelete && icon === 'trash' && !isDisabled
  useEffect(() => {
    if (isWanted) onAction?.()
  }, [isWanted])
  return isDelete ? null : <ShownItem {...props} />
}

function ShownItem({ icon, label, shortcut, detail, isDangerous = false, ...props }: ItemProps) {
  return (
    <AriaMenuItem
      {...props}
      textValue={label}
      className={isDangerous ? 'menu-item danger' : 'menu-item'}
    >
      {icon && <Icon name={icon} size={18} />}
      <span className="grow">
        <bdi>{label}</bdi>
      </span>
      {detail !== undefined && detail !== '' && <span className="muted small">{detail}</span>}
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </AriaMenuItem>
  )
}

/** Items of a menu under a title. With `selectionMode`, some of them are chosen. */
export function MenuSection({
  title,
  children,
  ...props
}: MenuSectionProps<object> & { title: string; children: ReactNode }) {
  if (useContext(IsDelete)) return children
  return (
    <AriaMenuSection {...props} className="menu-section">
      <Header>{title}</Header>
      {children}
    </AriaMenuSection>
  )
}
