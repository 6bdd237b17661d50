import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'

import { call } from '../../../api/client'
import type { ConversationCounts, View as SavedView } from '../../../api/shapes'
import type { ListFilter } from '../../../live/conversation-list'
import { keyOf } from '../../../live/query'
import { PlainButton } from '../../../parts/button'
import { Confirm } from '../../../parts/dialog'
import { Icon } from '../../../parts/icons'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { styled } from '../../../parts/styled'
import { report } from '../../../parts/toast'
import pagesStyle from '../../../styles/late/pages.css'
import { formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { VIEWS, type Search, type View } from '../views'
import { useMayChange, useSavedViews, useViewCounts } from './saved-views'
import { late } from '../../../parts/late'

const load = styled(() => import('./view-dialog'), pagesStyle)
const ViewDialog = late(async () => (await load()).ViewDialog)

interface Props {
  search: Search
  filter: ListFilter | null
  /** The saved view that is shown. */
  saved: SavedView | null
  counts: ConversationCounts | undefined
  onSearch: (search: Search) => void
}

/** Returns the number of conversations of a view, if the server counts it. */
export function countOf(view: View | 'all', counts: ConversationCounts | undefined): string {
  if (!counts) return ''
  const numbers: Partial<Record<View | 'all', number>> = {
    all: counts.open,
    mine: counts.folders.mine,
    queue: counts.folders.waiting,
    unassigned: counts.folders.unassigned,
    mentions: counts.folders.mentioned,
    snoozed: counts.snoozed,
    bot: counts.pending,
    closing: counts.closing_window,
    closed: counts.closed,
  }
  const number = numbers[view]
  return number === undefined ? '' : formatNumber(number)
}

/** Returns the team or number whose conversations are shown, and nothing narrower. */
function folderIn({ view, team, account }: Search, counts: ConversationCounts | undefined) {
  if (view !== undefined || (team === undefined) === (account === undefined)) return undefined
  const { teams = [], accounts = [] } = counts?.folders ?? {}
  return [...teams, ...accounts].find(({ id }) => id === (team ?? account))
}

type DialogKind = 'new' | 'change' | 'delete'

/** The server counts views up to this number. */
const MAX_COUNT = 1_000
export const shownCount = (count: number | null | undefined): string =>
  count == null ? '' : `${formatNumber(count)}${count === MAX_COUNT ? '+' : ''}`

/** The name of the view, which opens the menu of all views. */
export function ViewMenu({ search, filter, saved, counts, onSearch }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [dialog, setDialog] = useState<DialogKind | null>(null)
  const views = useSavedViews(isOpen).data?.items ?? []
  const savedCounts = useViewCounts(views, isOpen)
  const mayChange = useMayChange()
  const current = search.view ?? 'all'
  const folder = folderIn(search, counts)
  const close = (): void => {
    setDialog(null)
  }
  return (
    <>
      <Menu
        label={t('inbox.view.menu')}
        placement="bottom start"
        isOpen={isOpen}
        onOpenChange={setOpen}
        button={
          <PlainButton className="view-button">
            <span className="view-name">
              {saved?.name ?? folder?.name ?? t(`inbox.view.${current}`)}
            </span>
            <span className="muted count">
              {folder ? shownCount(folder.count) : saved ? '' : countOf(current, counts)}
            </span>
            <Icon name="down" size={16} />
          </PlainButton>
        }
      >
        {(['all', ...VIEWS] as const).map((view) => (
          <MenuItem
            key={view}
            id={view}
            label={t(`inbox.view.${view}`)}
            detail={countOf(view, counts)}
            onAction={() => {
              onSearch(view === 'all' ? {} : { view })
            }}
          />
        ))}
        <SavedSection
          views={views}
          counts={savedCounts}
          canChange={saved !== null && mayChange(saved)}
          onOpen={(id) => {
            onSearch({ saved: id })
          }}
          onDialog={setDialog}
        />
      </Menu>
      {(dialog === 'new' || dialog === 'change') && filter && (
        <Suspense>
          <ViewDialog
            view={dialog === 'change' ? saved : null}
            filter={filter}
            onSaved={(id) => {
              onSearch({ saved: id })
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog === 'delete' && saved && (
        <Deletion view={saved} onSearch={onSearch} onClose={close} />
      )}
    </>
  )
}

interface SectionProps {
  views: readonly SavedView[]
  counts: Record<string, number | null>
  /** Whether the view that is shown can be changed and deleted. */
  canChange: boolean
  onOpen: (id: string) => void
  onDialog: (dialog: DialogKind) => void
}

const MANAGED = [
  { kind: 'new', icon: 'plus' },
  { kind: 'change', icon: 'edit' },
  { kind: 'delete', icon: 'trash' },
] as const

/** The saved views in the menu, and what can be done with them. */
function SavedSection({ views, counts, canChange, onOpen, onDialog }: SectionProps) {
  return (
    <MenuSection title={t('inbox.saved.title')}>
      {views.map(({ id, name, is_shared: isShared }) => (
        <MenuItem
          key={id}
          id={id}
          {...(isShared ? { icon: 'contacts' as const } : {})}
          label={name}
          detail={shownCount(counts[id])}
          onAction={() => {
            onOpen(id)
          }}
        />
      ))}
      {MANAGED.filter(({ kind }) => kind === 'new' || canChange).map(({ kind, icon }) => (
        <MenuItem
          key={kind}
          id={kind}
          icon={icon}
          isDangerous={kind === 'delete'}
          label={t(`inbox.saved.${kind}`)}
          onAction={() => {
            onDialog(kind)
          }}
        />
      ))}
    </MenuSection>
  )
}

interface DeletionProps {
  view: SavedView
  onSearch: (search: Search) => void
  onClose: () => void
}

function Deletion({ view, onSearch, onClose }: DeletionProps) {
  const client = useQueryClient()
  return (
    <Confirm
      isOpen
      title={t('inbox.saved.delete')}
      text={t(view.is_shared ? 'inbox.saved.delete-shared' : 'inbox.saved.delete-own')}
      action={t('inbox.saved.delete-name', { name: view.name })}
      onConfirm={() => {
        call('DELETE /api/views/{id}', { params: { id: view.id } })
          .then(() => {
            onSearch({})
            return client.invalidateQueries({ queryKey: keyOf('GET /api/views') })
          })
          .catch(report)
      }}
      onClose={onClose}
    />
  )
}
