import { Fragment, type HTMLAttributes, type ReactNode } from 'react'

import type { Keys } from './keys'
import { useListKeys, useRowKeys } from './list-keys'
import { useRowMenu } from './row-menu'

/** A list of things, one in a row. J, K and arrows walk through it. */
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
  keys?: Keys
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
  const { menu: opened, keys: menuKeys, ...events } = useRowMenu({ name, items: menu })
  const row = useRowKeys({
    Enter: () => {
      row.current?.querySelector<HTMLElement>('.item-name a')?.click()
    },
    ...menuKeys,
    ...keys,
  })
  return (
    <li ref={row} className="item" data-row tabIndex={-1} {...dragging} {...events}>
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
      {opened}
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
