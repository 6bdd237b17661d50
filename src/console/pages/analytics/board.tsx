import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../api/client'
import type { Board as BoardShape, Widget } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf, useApi } from '../../live/query'
import { Button, IconButton } from '../../parts/button'
import { Loaded } from '../../parts/loaded'
import { Menu, MenuItem } from '../../parts/menu'
import { Empty } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { findText, t } from '../../texts/texts'
import { WidgetView } from './widget'
import { AddWidget, NEW } from './add-widget'

/** Widgets on a board at most. */
const MOST = 24

/** What is sent of a widget: not whether something it names was deleted. */
const sentOf = ({ id, title, report: of, metric, kind, period, filters, compare }: Widget) => ({
  ...(id === NEW ? {} : { id }),
  ...{ title, report: of, metric, kind, period, filters, compare },
})

/** The widgets that the server starts with have English titles. */
const inLanguage = (widgets: readonly Widget[], isDefault: boolean): Widget[] =>
  widgets.map((widget) => ({
    ...widget,
    title: (isDefault ? findText(`analytics.board.default.${widget.id}`) : null) ?? widget.title,
  }))

/** Figures that a person chose to see every day, in the order they gave them. */
export function Board() {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const result = useApi('GET /api/analytics/board', {})
  const show = (board: BoardShape): void => {
    client.setQueryData(keyOf('GET /api/analytics/board'), board)
  }
  const save = (widgets: readonly Widget[]): Promise<void> => {
    // shown at once; what the server answers takes its place
    show({ widgets: [...widgets], is_default: false })
    return call('PUT /api/analytics/board', { body: { widgets: widgets.map(sentOf) } })
      .then(show)
      .catch((error: unknown) => {
        report(error)
        result.refetch().catch(report)
      })
  }
  const share = (widgets: readonly Widget[]): void => {
    call('PUT /api/analytics/board/organization', { body: { widgets: widgets.map(sentOf) } })
      .then(() => {
        notify(t('analytics.board.shared'))
      })
      .catch(report)
  }
  const reset = (): void => {
    call('DELETE /api/analytics/board', {})
      .then(() => result.refetch())
      .catch(report)
  }
  return (
    <Loaded result={result}>
      {({ widgets: stored, is_default: isDefault }) => {
        const widgets = inLanguage(stored, isDefault)
        return (
          <>
            <BoardActions
              isFull={widgets.length >= MOST}
              onAdd={() => {
                setAdding(true)
              }}
              {...(isDefault ? {} : { onReset: reset })}
              onShare={() => {
                share(widgets)
              }}
            />
            {widgets.length === 0 && (
              <Empty
                icon="analytics"
                title={t('analytics.board.empty')}
                hint={t('analytics.board.empty-hint')}
              />
            )}
            <Widgets widgets={widgets} onSave={save} />
            {isAdding && (
              <AddWidget
                onAdd={(widget) => save([...widgets, widget])}
                onClose={() => {
                  setAdding(false)
                }}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

interface WidgetsProps {
  widgets: readonly Widget[]
  onSave: (widgets: readonly Widget[]) => Promise<void>
}

/** The widgets in their places: numbers in small ones, charts in large ones. */
function Widgets({ widgets, onSave }: WidgetsProps) {
  return (
    <ul className="board">
      {widgets.map((widget, nth) => (
        <li key={widget.id} className={widget.kind === 'number' ? 'small' : 'large'}>
          <WidgetView
            widget={widget}
            actions={
              <WidgetMenu
                widget={widget}
                isFirst={nth === 0}
                isLast={nth === widgets.length - 1}
                onMove={(by) => {
                  const moved = widgets.toSpliced(nth, 1).toSpliced(nth + by, 0, widget)
                  onSave(moved).catch(report)
                }}
                onRemove={() => {
                  onSave(widgets.toSpliced(nth, 1)).catch(report)
                  notify(t('analytics.board.removed', { name: widget.title }), () => {
                    onSave(widgets).catch(report)
                  })
                }}
              />
            }
          />
        </li>
      ))}
    </ul>
  )
}

interface ActionsProps {
  isFull: boolean
  onAdd: () => void
  /** Absent for who has no board of their own. */
  onReset?: () => void
  onShare: () => void
}

/** What can be done with the whole board. */
function BoardActions({ isFull, onAdd, onReset, onShare }: ActionsProps) {
  const mayShare = useCan('settings:update')
  return (
    <div className="actions">
      {!isFull && (
        <Button icon="plus" onPress={onAdd}>
          {t('analytics.board.add')}
        </Button>
      )}
      {(mayShare || onReset) && (
        <Menu
          label={t('parts.action.more')}
          button={<IconButton icon="more" label={t('parts.action.more')} />}
        >
          {onReset && <MenuItem label={t('analytics.board.reset')} onAction={onReset} />}
          {mayShare && <MenuItem label={t('analytics.board.share')} onAction={onShare} />}
        </Menu>
      )}
    </div>
  )
}

interface MenuProps {
  widget: Widget
  isFirst: boolean
  isLast: boolean
  /** Moves it towards the beginning (-1) or the end (1). */
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

/** What can be done with a widget, by pointer and keys alike. */
function WidgetMenu({ widget, isFirst, isLast, onMove, onRemove }: MenuProps) {
  const label = t('list.item.actions', { name: widget.title })
  return (
    <Menu label={label} button={<IconButton icon="more" label={label} size={18} />}>
      {!isFirst && (
        <MenuItem
          icon="up"
          label={t('analytics.board.earlier')}
          onAction={() => {
            onMove(-1)
          }}
        />
      )}
      {!isLast && (
        <MenuItem
          icon="down"
          label={t('analytics.board.later')}
          onAction={() => {
            onMove(1)
          }}
        />
      )}
      <MenuItem icon="trash" isDangerous label={t('analytics.board.remove')} onAction={onRemove} />
    </Menu>
  )
}
