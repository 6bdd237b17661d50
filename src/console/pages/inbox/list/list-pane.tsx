import { useEffect, useState } from 'react'

import type { ConversationCounts } from '../../../api/shapes'
import { useConversations, type ListFilter } from '../../../live/conversation-list'
import { itemsOf } from '../../../live/pages-of'
import { IconButton } from '../../../parts/button'
import { SearchBox } from '../../../parts/search-box'
import { Empty, Problem, Skeleton } from '../../../parts/state'
import { formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import type { Search } from '../views'
import { Filters } from './filters'
import { Rows } from './rows'
import { ViewMenu } from './view-menu'

interface Props {
  search: Search
  filter: ListFilter
  counts: ConversationCounts | undefined
  chosen: string | null
  onOpen: (id: string) => void
  onSearch: (search: Search) => void
}

/** Pause in typing after which the list is searched, milliseconds. */
const PAUSE_MS = 250

/** The list of conversations with its views, filters and search. */
export function ListPane({ search, filter, counts, chosen, onOpen, onSearch }: Props) {
  const list = useConversations(filter)
  const items = itemsOf(list.data)
  return (
    <section className="list-pane" aria-label={t('inbox.list.title')}>
      <header className="list-head">
        <h1>
          <ViewMenu search={search} counts={counts} onSearch={onSearch} />
        </h1>
        <IconButton
          icon="refresh"
          size={18}
          label={t('inbox.list.refresh')}
          onPress={() => {
            list.refetch().catch(() => undefined)
          }}
        />
        <Filters search={search} onSearch={onSearch} />
      </header>
      <SearchField search={search} onSearch={onSearch} />
      {list.isPending && <Skeleton rows={8} />}
      {list.isError && (
        <Problem
          error={list.error}
          onRetry={() => {
            list.refetch().catch(() => undefined)
          }}
        />
      )}
      {list.isSuccess && items.length === 0 && <Nobody search={search} />}
      {items.length > 0 && (
        <Rows
          items={items}
          chosen={chosen}
          onOpen={onOpen}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage)
              list.fetchNextPage().catch(() => undefined)
          }}
        />
      )}
      {counts && (
        <p className="list-foot muted small">
          {t('inbox.list.counts', {
            open: formatNumber(counts.open),
            unread: formatNumber(counts.unread),
          })}
        </p>
      )}
    </section>
  )
}

function Nobody({ search }: { search: Search }) {
  const isSearch = search.q !== undefined || search.tags !== undefined || search.unread === true
  return isSearch ? (
    <Empty icon="search" title={t('inbox.list.no-match')} hint={t('inbox.list.no-match-hint')} />
  ) : (
    <Empty icon="inbox" title={t('inbox.list.empty')} hint={t('inbox.list.empty-hint')} />
  )
}

function SearchField({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const [text, setText] = useState(search.q ?? '')
  const wanted = text.trim()
  useEffect(() => {
    if (wanted === (search.q ?? '')) return
    const timer = setTimeout(() => {
      const { q: _, ...rest } = search
      onSearch(wanted === '' ? rest : { ...rest, q: wanted })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [wanted, search, onSearch])
  return (
    <div className="list-search">
      <SearchBox label={t('inbox.list.search')} value={text} onChange={setText} />
    </div>
  )
}
