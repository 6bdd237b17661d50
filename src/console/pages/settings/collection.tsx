import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { PermissionKey } from '../../api/shapes'
import { Button } from '../../parts/button'
import type { IconName } from '../../parts/icons'
import { ItemList } from '../../parts/item-list'
import { Guarded, Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { SearchBox } from '../../parts/search-box'
import { Empty } from '../../parts/state'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { t } from '../../texts/texts'

/** One page of a list, as the API returns it. */
interface PageOf<T> {
  items: T[]
  total_pages: number | null
}

interface Props<T> {
  title: string
  hint?: string
  /** Permission that reading the list needs. */
  needs: PermissionKey
  /** The button that adds an item; `null` without the right to. */
  add: { label: string; onPress: () => void } | null
  empty: { icon: IconName; title: string; hint: string }
  result: UseQueryResult<PageOf<T>>
  row: (item: T) => ReactNode
  /** What the field is called that searches the list, if it can be searched. */
  searchLabel?: string
  /** Windows and further sections of the screen. */
  children?: ReactNode
}

/** The words that the address says a list is searched for. */
export const useWords = (): string => useSearch({ from: '/settings' }).q ?? ''

/** Pause in typing after which is searched, milliseconds. */
const PAUSE_MS = 300

/** A field whose words become part of the address. */
function SearchIn({ label }: { label: string }) {
  const navigate = useNavigate()
  const [text, setText] = useSearchText(useWords(), PAUSE_MS, (wanted) => {
    navigate({ to: '.', search: wanted === '' ? {} : { q: wanted }, replace: true }).catch(report)
  })
  return <SearchBox label={label} value={text} onChange={setText} />
}

/** The number of the page that the address names. */
export const usePage = (): number => useSearch({ from: '/settings' }).page ?? 1

/** A screen with one list of things that can be added, changed and deleted. */
export function Collection<T>(props: Props<T>) {
  const { title, hint, needs, add, empty, result, row, searchLabel, children } = props
  const page = usePage()
  const navigate = useNavigate()
  const button = add && (
    <Button look="primary" icon="plus" onPress={add.onPress}>
      {add.label}
    </Button>
  )
  const words = useWords()
  const isEmpty = result.data?.items.length === 0 && words === ''
  return (
    <Page title={title} actions={isEmpty ? null : button} {...(hint === undefined ? {} : { hint })}>
      <Guarded needs={needs}>
        {searchLabel !== undefined && !isEmpty && (
          <div className="list-search">
            <SearchIn label={searchLabel} />
          </div>
        )}
        <Loaded result={result}>
          {({ items, total_pages: pages }) => (
            <>
              {items.length === 0 && words !== '' ? (
                <Empty icon="search" title={t('search.none')} />
              ) : items.length === 0 ? (
                <Empty {...empty}>{button}</Empty>
              ) : (
                <ItemList label={title}>{items.map(row)}</ItemList>
              )}
              <Pager
                page={page}
                pages={pages ?? 1}
                onPage={(next) => {
                  navigate({ to: '.', search: (now) => ({ ...now, page: next }) }).catch(report)
                }}
              />
            </>
          )}
        </Loaded>
        {children}
      </Guarded>
    </Page>
  )
}
