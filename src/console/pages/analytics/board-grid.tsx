import { useRef, useState, type DragEvent } from 'react'

import type { Widget } from '../../api/shapes'
import { IconButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { moved, stepOf } from './board-order'
import { WidgetView } from './widget'

interface Props {
  widgets: readonly Widget[]
  /** Absent for those who only look at it. */
  onSave?: ((widgets: readonly Widget[]) => Promise<void>) | undefined
}

/** The widgets in their places. They are dragged, or moved with the arrow keys on their handles. */
export function BoardGrid({ widgets, onSave }: Props) {
  const board = useRef<HTMLUListElement>(null)
  const [dragged, setDragged] = useState<string | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const save = (next: readonly Widget[]): void => {
    onSave?.(next).catch(report)
  }
  const move = (widget: Widget, from: number, to: number): void => {
    if (moved(widgets, from, to) === widgets) return
    save(moved(widgets, from, to))
    const place = { place: formatNumber(to + 1), count: formatNumber(widgets.length) }
    setSaid(t('analytics.board.place', { name: widget.title, ...place }))
    // a moved element loses the focus
    requestAnimationFrame(() => {
      board.current?.querySelector<HTMLElement>(`[data-id="${widget.id}"] .board-handle`)?.focus()
    })
  }
  const dropping = (nth: number) => ({
    onDragOver: (event: DragEvent) => {
      if (dragged === null) return
      event.preventDefault()
      setOver(widgets[nth]?.id ?? null)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      const from = widgets.findIndex(({ id }) => id === dragged)
      const widget = widgets[from]
      setDragged(null)
      setOver(null)
      if (widget) move(widget, from, nth)
    },
  })
  return (
    <>
      <ul className="board" ref={board}>
        {widgets.map((widget, nth) => (
          <li
            key={widget.id}
            data-id={widget.id}
            className={widget.size}
            data-over={over === widget.id && dragged !== widget.id ? '' : undefined}
            {...(onSave ? dropping(nth) : {})}
          >
            <WidgetView
              widget={widget}
              actions={
                onSave && (
                  <>
                    <Handle
                      name={widget.title}
                      onDrag={(isDragged) => {
                        setDragged(isDragged ? widget.id : null)
                        if (!isDragged) setOver(null)
                      }}
                      onStep={(by) => {
                        move(widget, nth, nth + by)
                      }}
                    />
                    <WidgetMenu {...{ widgets, widget, nth, move, save }} />
                  </>
                )
              }
            />
          </li>
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  )
}

interface HandleProps {
  name: string
  onDrag: (isDragged: boolean) => void
  onStep: (by: -1 | 1) => void
}

/** Where a widget is taken to move it, by the pointer or with the arrow keys. */
const Handle = ({ name, onDrag, onStep }: HandleProps) => (
  // Firefox drags no buttons
  <span
    role="button"
    tabIndex={0}
    className="board-handle icon-button quiet"
    draggable
    aria-label={t('analytics.board.handle', { name })}
    title={t('analytics.board.handle', { name })}
    onDragStart={({ dataTransfer }) => {
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', name)
      // a page that changes at once ends the drag
      setTimeout(onDrag, 0, true)
    }}
    onDragEnd={() => {
      onDrag(false)
    }}
    onKeyDown={(event) => {
      const by = stepOf(event, document.documentElement.dir === 'rtl')
      if (by === 0) return
      event.preventDefault()
      onStep(by)
    }}
  >
    <Icon name="grip" size={18} />
  </span>
)

interface MenuProps {
  widgets: readonly Widget[]
  widget: Widget
  nth: number
  move: (widget: Widget, from: number, to: number) => void
  save: (widgets: readonly Widget[]) => void
}

/** What can be done with a widget. */
function WidgetMenu({ widgets, widget, nth, move, save }: MenuProps) {
  const label = t('list.item.actions', { name: widget.title })
  const size = widget.size === 'small' ? 'large' : 'small'
  return (
    <Menu label={label} button={<IconButton icon="more" label={label} size={18} />}>
      {nth > 0 && (
        <MenuItem
          icon="up"
          label={t('analytics.board.earlier')}
          onAction={() => {
            move(widget, nth, nth - 1)
          }}
        />
      )}
      {nth < widgets.length - 1 && (
        <MenuItem
          icon="down"
          label={t('analytics.board.later')}
          onAction={() => {
            move(widget, nth, nth + 1)
          }}
        />
      )}
      <MenuItem
        icon="expand"
        label={t(`analytics.board.size-${size}`)}
        onAction={() => {
          save(widgets.map((one) => (one.id === widget.id ? { ...one, size } : one)))
        }}
      />
      <MenuItem
        icon="trash"
        isDangerous
        label={t('analytics.board.remove')}
        onAction={() => {
          save(widgets.toSpliced(nth, 1))
          notify(t('analytics.board.removed', { name: widget.title }), () => {
            save(widgets)
          })
        }}
      />
    </Menu>
  )
}
