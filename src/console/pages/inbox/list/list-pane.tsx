import type { RefObject } from 'react'

import { can, type ConversationCounts, type View } from '../../../api/shapes'
import { cappedAt, useConversations, type ListFilter } from '../../../live/conversation-list'
import { useCan, useMe, usePreferences } from '../../../live/me'
import { itemsOf } from '../../../live/pages-of'
import { setPreferences } from '../../../live/preferences'
import { Button, IconButton } from '../../../parts/button'
import { useIsWide } from '../../../parts/narrow'
import { SearchBox } from '../../../parts/search-box'
import { Splitter } from '../../../parts/splitter'
import { Empty, Problem, Skeleton } from '../../../parts/state'
import { useSearchText } from '../../../parts/use-search-text'
import { t } from '../../../texts/texts'
import type { Search } from '../views'
import { BulkBar } from './bulk-bar'
import { Filters } from './filters'
import { Rows, type FindNext } from './rows'
import { useSelection, type Selection } from '../../../parts/selection'
import { ViewMenu } from './view-menu'

interface Props {
  search: Search
  /** What is listed; `null` while a saved view is loaded. */
  filter: ListFilter | null
  /** The saved view that is shown. */
  saved: View | null
  counts: ConversationCounts | undefined
  chosen: string | null
  onOpen: (id: string) => void
  onSearch: (search: Search) => void
  after: RefObject<FindNext>
  /** Begins a message to somebody; absent if the person may not, or its button is elsewhere. */
  onNew: (() => void) | null
}

/** Width of the list unless somebody changes it, pixels. */
const USUAL_PX = 352
/** Pause in typing after which the list is searched, milliseconds. */
const PAUSE_MS = 250

/** The list of conversations with its views, filters and search. */
export function ListPane(props: Props) {
  const { search, filter, counts, chosen, onOpen, onSearch } = props
  const list = useConversations(filter)
  const items = itemsOf(list.data)
  const total = list.data?.pages[0]?.total ?? null
  const selection = useSelection(items, JSON.stringify(filter), useCan('messages:create'))
  return (
    <section className="list-pane" aria-label={t('inbox.list.title')}>
      <Splitter label={t('inbox.list.width')} pane="before" of="listPx" usual={USUAL_PX} />
      <Head {...props} selection={selection} isEmpty={items.length === 0} />
      {selection.isOn ? (
        <BulkBar selection={selection} items={items} filter={filter} total={total} />
      ) : (
        <SearchField search={search} onSearch={onSearch} />
      )}
      {list.isPending && <Skeleton rows={8} />}
      {list.isError && (
        <Problem
          error={list.error}
          onRetry={() => {
            list.refetch().catch(() => undefined)
          }}
        />
      )}
      {list.isSuccess && items.length === 0 && <Nobody search={search} onSearch={onSearch} />}
      {items.length > 0 && (
        <Rows
          items={items}
          chosen={chosen}
          selection={selection}
          onOpen={onOpen}
          after={props.after}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage)
              list.fetchNextPage().catch(() => undefined)
          }}
        />
      )}
      <Foot list={list} counts={counts} />
    </section>
  )
}

type List = ReturnType<typeof useConversations>

interface HeadProps extends Props {
  selection: Selection
  isEmpty: boolean
}

/** The name of what is listed, and what can be done with the list. */
function Head({ search, filter, saved, counts, onSearch, onNew, ...of }: HeadProps) {
  const { selection, isEmpty } = of
  return (
    <header className="list-head">
      <FoldersButton />
      <h1>
        <ViewMenu
          search={search}
          filter={filter}
          saved={saved}
          counts={counts}
          onSearch={onSearch}
        />
      </h1>
      {selection.isAllowed && !isEmpty && (
        <IconButton
          icon="select"
          size={18}
          label={t(selection.isOn ? 'inbox.bulk.clear' : 'inbox.bulk.start')}
          shortcut={selection.isOn ? 'Esc' : 'X'}
          aria-pressed={selection.isOn}
          onPress={selection.isOn ? selection.clear : selection.start}
        />
      )}
      <Filters search={search} onSearch={onSearch} />
      {onNew && (
        <IconButton
          icon="edit"
          size={18}
          label={t('inbox.new.title')}
          shortcut="C"
          onPress={onNew}
        />
      )}
    </header>
  )
}

/** Shows the folders or puts them away, where they have room. */
function FoldersButton() {
  const { hasFolders } = usePreferences()
  if (!useIsWide()) return null
  return (
    <IconButton
      icon="list"
      size={18}
      label={t(hasFolders ? 'inbox.folders.hide' : 'inbox.folders.show')}
      aria-expanded={hasFolders}
      onPress={() => {
        setPreferences({ hasFolders: !hasFolders })
      }}
    />
  )
}

/** How many there are, whether more than are listed, and a button that loads them again. */
function Foot({ list, counts }: Pick<Props, 'counts'> & { list: List }) {
  const cap = cappedAt(list.data)
  return (
    <>
      {cap !== null && (
        <p role="status" className="list-foot muted small">
          {t('inbox.list.capped', { count: cap })}
        </p>
      )}
      <footer className="list-foot muted small">
        <span className="grow">
          {counts && t('inbox.list.counts', { open: counts.open, unread: counts.unread })}
        </span>
        <IconButton
          icon="refresh"
          size={16}
          label={t('inbox.list.refresh')}
          onPress={() => {
            list.refetch().catch(() => undefined)
          }}
        />
      </footer>
    </>
  )
}

/** What is said of an empty view: why it is empty, for the caller. */
function useEmptyWords({ view, team, account, saved }: Search): { title: string; hint: string } {
  const me = useMe()
  const queue = me.organization.settings.new_conversations
  const all = can(me, 'contacts:read_all')
    ? 'all'
    : can(me, 'contacts:read_unassigned')
      ? 'free'
      : queue === 'nobody'
        ? 'assigned'
        : 'own'
  const place = team !== undefined ? 'team' : account !== undefined ? 'account' : all
  const which = view ?? (saved === undefined ? place : 'saved')
  return { title: t(`inbox.empty.${which}`), hint: t(`inbox.empty.${which}-hint`) }
}

const noMatch = () => ({ title: t('inbox.list.no-match'), hint: t('inbox.list.no-match-hint') })

/** What an empty list says, with a way to conversations. */
function Nobody({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const { view, saved, team, account } = search
  const places = [view, saved, team, account].filter((one) => one !== undefined)
  const isNarrowed = [search.assigned, search.tags, search.unread, search.q].some(
    (one) => one !== undefined,
  )
  const isAll = places.length === 0 && !isNarrowed
  const words = useEmptyWords(search)
  const isMixed = isNarrowed || places.length > 1
  return (
    <Empty icon={isMixed ? 'search' : 'inbox'} {...(isMixed ? noMatch() : words)}>
      <Button
        onPress={() => {
          onSearch(isAll ? { view: 'closed' } : {})
        }}
      >
        {t(isAll ? 'inbox.list.show-closed' : 'inbox.list.show-open')}
      </Button>
    </Empty>
  )
}

function SearchField({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const [text, setText] = useSearchText(search.q ?? '', PAUSE_MS, (wanted) => {
    const { q: _, ...rest } = search
    onSearch(wanted === '' ? rest : { ...rest, q: wanted })
  })
  return (
    <div className="list-search">
      <SearchBox label={t('inbox.list.search')} value={text} onChange={setText} />
    </div>
  )
}
