import { Fragment, type HTMLAttributes, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { IconButton } from './button'
import { useListKeys, useRowKeys } from './list-keys'
import { Menu } from './menu'

/** A list of things, one in a row. J and K walk through it. */
export function ItemList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul ref={useListKeys<HTMLUListElement>()} className="item-list" aria-label={label}>
      {children}
    </ul>
  )
}

interface Props {
  /** Shown in front of the name. */
  mark?: ReactNode
  name: string
  /** A link with the name, if there is more to see about it. */
  link?: ReactNode
  /** Shown behind the name. */
  badge?: ReactNode
  hint?: ReactNode
  /** Buttons, or items of a menu. */
  actions?: ReactNode
  menu?: ReactNode
  /** What single keys do while the row has the focus. */
  keys?: Record<string, () => void>
  /** Makes the row draggable. Takes whether it is being dragged. */
  onDrag?: ((isDragged: boolean) => void) | undefined
}

/** A row of a list: a name, what there is to know about it, and what can be done with it. */
export function Item({ mark, name, link, badge, hint, actions, menu, keys = {}, onDrag }: Props) {
  const dragging: HTMLAttributes<HTMLLIElement> = onDrag
    ? {
        draggable: true,
        onDragStart: ({ dataTransfer }) => {
          dataTransfer.effectAllowed = 'move'
          dataTransfer.setData('text/plain', name)
          // a page that changes at once ends the drag
          setTimeout(onDrag, 0, true)
        },
        onDragEnd: () => {
          onDrag(false)
        },
      }
    : {}
  return (
    <li ref={useRowKeys(keys)} className="item" data-row tabIndex={-1} {...dragging}>
      {mark}
      <div className="grow">
        <p className="item-name">
          {link ?? <bdi>{name}</bdi>}
          {badge}
        </p>
        {hint !== undefined && (
          <p className="muted small item-hint">
            {typeof hint === 'string' ? <Facts text={hint} /> : hint}
          </p>
        )}
      </div>
      {actions}
      {menu && (
        <Menu
          label={t('list.item.actions', { name })}
          button={<IconButton icon="more" label={t('list.item.actions', { name })} />}
        >
          {menu}
        </Menu>
      )}
    </li>
  )
}

/** Facts with dots between them; a line ends between two facts rather than inside one. */
const Facts = ({ text }: { text: string }) =>
  text.split(' · ').map((fact, index) => (
    <Fragment key={index}>
      {index > 0 && ' · '}
      <span className="fact">{fact}</span>
    </Fragment>
  ))
