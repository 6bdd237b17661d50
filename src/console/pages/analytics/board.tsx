import { useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { Widget } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { Button, IconButton } from '../../parts/button'
import { Loaded } from '../../parts/loaded'
import { useShow } from '../../parts/list-page'
import { Menu, MenuItem } from '../../parts/menu'
import { Select } from '../../parts/select'
import { Empty } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { AddWidget } from './add-widget'
import { BoardGrid } from './board-grid'
import { sentOf, useBoard, type Whose } from './use-board'

/** Widgets on a board at most. */
const MOST = 24

/** Whose board can be shown. */
const BOARDS = ['own', 'organization'] as const satisfies Whose[]

/** Figures that people see every day, in the order they gave them: one's own, and everybody's. */
export function Board() {
  const { board: whose = 'own' } = useSearch({ from: '/analytics' })
  return <BoardOf key={whose} whose={whose} />
}

function BoardOf({ whose }: { whose: Whose }) {
  const { result, save, inLanguage } = useBoard(whose)
  const mayShare = useCan('settings:update')
  const mayChange = whose === 'own' || mayShare
  return (
    <Loaded result={result}>
      {({ widgets: stored, is_default: isDefault }) => (
        <Shown
          {...{ whose, mayChange }}
          widgets={inLanguage(stored)}
          isDefault={isDefault}
          onSave={save}
          onReload={async () => {
            await result.refetch()
          }}
        />
      )}
    </Loaded>
  )
}

interface ShownProps {
  whose: Whose
  widgets: readonly Widget[]
  /** Whether the person has no board of their own. */
  isDefault: boolean
  mayChange: boolean
  onSave: (widgets: readonly Widget[]) => Promise<void>
  onReload: () => Promise<void>
}

function Shown(props: ShownProps) {
  const { whose, widgets, isDefault, mayChange, onSave, onReload } = props
  const [isAdding, setAdding] = useState(false)
  const show = useShow<{ board?: 'organization' | undefined }>()
  return (
    <>
      <div className="actions">
        <Select
          label={t('analytics.board.whose')}
          isLabelHidden
          choices={BOARDS.map((id) => ({ id, label: t(`analytics.board.${id}`) }))}
          value={whose}
          onChange={(id) => {
            show({ board: id === 'own' ? undefined : id })
          }}
        />
        {mayChange && widgets.length < MOST && (
          <Button
            icon="plus"
            onPress={() => {
              setAdding(true)
            }}
          >
            {t('analytics.board.add')}
          </Button>
        )}
        {whose === 'own' && (
          <BoardActions widgets={widgets} {...(isDefault ? {} : { onReset: onReload })} />
        )}
      </div>
      {widgets.length === 0 && (
        <Empty
          icon="analytics"
          title={t('analytics.board.empty')}
          hint={t('analytics.board.empty-hint')}
        />
      )}
      <BoardGrid widgets={widgets} onSave={mayChange ? onSave : undefined} />
      {isAdding && (
        <AddWidget
          onAdd={(widget) => onSave([...widgets, widget])}
          onClose={() => {
            setAdding(false)
          }}
        />
      )}
    </>
  )
}

interface ActionsProps {
  widgets: readonly Widget[]
  /** Called when one's own board is gone. Absent for who has none. */
  onReset?: () => Promise<void>
}

/** What can be done with the whole board of one's own. */
function BoardActions({ widgets, onReset }: ActionsProps) {
  const client = useQueryClient()
  const mayShare = useCan('settings:update')
  if (!onReset && !mayShare) return null
  return (
    <Menu
      label={t('parts.action.more')}
      button={<IconButton icon="more" label={t('parts.action.more')} />}
    >
      {onReset && (
        <MenuItem
          label={t('analytics.board.reset')}
          onAction={() => {
            call('DELETE /api/analytics/board', {}).then(onReset).catch(report)
          }}
        />
      )}
      {mayShare && (
        <MenuItem
          label={t('analytics.board.share')}
          onAction={() => {
            call('PUT /api/analytics/board/organization', { body: sentOf(widgets) })
              .then((shared) => {
                client.setQueryData(keyOf('GET /api/analytics/board/organization'), shared)
                notify(t('analytics.board.shared'))
              })
              .catch(report)
          }}
        />
      )}
    </Menu>
  )
}
