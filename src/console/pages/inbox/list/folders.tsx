import { Link } from '@tanstack/react-router'
import { useId } from 'react'

import type { ConversationCounts } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { Icon, type IconName } from '../../../parts/icons'
import { t } from '../../../texts/texts'
import type { Search, View } from '../views'
import { useSavedViews, useViewCounts } from './saved-views'
import { countOf, shownCount } from './view-menu'

/** A place in the inbox. */
interface Folder {
  key: string
  name: string
  icon: IconName
  count: string
  search: Search
}

const ICONS = {
  mine: 'contact',
  queue: 'clock',
  unassigned: 'assign',
  all: 'inbox',
  mentions: 'mention',
  snoozed: 'snooze',
  bot: 'chatbot',
} satisfies Partial<Record<View | 'all', IconName>>

/** Returns what the folders of everybody are; who takes from no queue has none of those who wait. */
function useFirst(counts: ConversationCounts | undefined): Folder[] {
  const takes = [useCan('transfers:pickup'), useCan('transfers:assign')].includes(true)
  const views = Object.keys(ICONS) as (keyof typeof ICONS)[]
  return views
    .filter((view) => view !== 'queue' || takes)
    .map((view) => ({
      key: view,
      name: t(`inbox.view.${view}`),
      icon: ICONS[view],
      count: countOf(view, counts),
      search: view === 'all' ? {} : { view },
    }))
}

/** What the address says about the folder; the rest narrows it. */
const placeIn = ({ view, saved, team, account }: Search): string =>
  JSON.stringify([view, saved, team, account])

interface Props {
  search: Search
  counts: ConversationCounts | undefined
  /** Begins a message to somebody; `null` if the person may not. */
  onNew: (() => void) | null
}

/** The folders of the inbox beside the list, each with the number of its conversations. */
export function Folders({ search, counts, onNew }: Props) {
  const first = useFirst(counts)
  const views = useSavedViews(true).data?.items ?? []
  const viewCounts = useViewCounts(views, true)
  const { teams = [], accounts = [] } = counts?.folders ?? {}
  const saved = views.map(({ id, name, is_shared: isShared }): Folder => ({
    ...{ key: id, name, icon: isShared ? 'contacts' : 'star' },
    ...{ count: shownCount(viewCounts[id]), search: { saved: id } },
  }))
  const group = { chosen: placeIn(search) }
  return (
    <nav id="folders" className="folders" aria-label={t('inbox.folders.title')}>
      {onNew && (
        <Button icon="edit" onPress={onNew}>
          {t('inbox.new.title')}
        </Button>
      )}
      <Group {...group} folders={first} />
      {useCan('transfers:read') && (
        <ul>
          <li>
            <Link to="/transfers" className="folder">
              <Icon name="transfers" size={18} />
              <span className="grow">{t('shell.nav.transfers')}</span>
            </Link>
          </li>
        </ul>
      )}
      <Group
        {...group}
        title={t('inbox.folders.teams')}
        folders={teams.map(({ id, name, count }) => ({
          ...{ key: id, name, icon: 'team', count: shownCount(count), search: { team: id } },
        }))}
      />
      <Group
        {...group}
        title={t('inbox.folders.numbers')}
        // one number has what all have
        folders={(accounts.length > 1 ? accounts : []).map(({ id, name, count }) => ({
          ...{ key: id, name, icon: 'phone', count: shownCount(count), search: { account: id } },
        }))}
      />
      <Group {...group} title={t('inbox.saved.title')} folders={saved} />
    </nav>
  )
}

interface GroupProps {
  title?: string
  folders: readonly Folder[]
  /** The place that is shown. */
  chosen: string
}

function Group({ title, folders, chosen }: GroupProps) {
  const id = useId()
  if (folders.length === 0) return null
  return (
    <>
      {title !== undefined && (
        <h2 id={id} className="nav-group">
          {title}
        </h2>
      )}
      <ul {...(title === undefined ? {} : { 'aria-labelledby': id })}>
        {folders.map(({ key, name, icon, count, search }) => (
          <li key={key}>
            <Link
              to="."
              search={search}
              replace
              activeOptions={{ exact: true }}
              className="folder"
              aria-current={placeIn(search) === chosen ? 'page' : undefined}
              title={name}
            >
              <Icon name={icon} size={18} />
              <span className="view-name grow">
                <bdi>{name}</bdi>
              </span>
              {count !== '0' && <span className="muted small">{count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
