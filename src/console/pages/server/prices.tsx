import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { useShow } from '../../parts/list-page'
import { Guarded, Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { SearchBox } from '../../parts/search-box'
import { Empty } from '../../parts/state'
import { useSearchText } from '../../parts/use-search-text'
import { t } from '../../texts/texts'
import { ImportPrices } from './import-prices'
import { PriceTable } from './price-table'

const PAGE = 50
const PAUSE_MS = 300
const HOUR_MS = 3_600_000

/** The prices that costs are reckoned with, for the whole server. */
export function Prices() {
  const { q = '', page = 1, state } = useSearch({ from: '/server' })
  const mayRead = useCan('campaigns:read')
  const [isImporting, setImporting] = useState(false)
  const isWhole = state === 'all'
  const country = /^(?:[A-Za-z]{2}|\*)$/.test(q) ? q : undefined
  // to the hour, so that one moment is one entry of the cache
  const now = new Date(Math.floor(serverNow() / HOUR_MS) * HOUR_MS).toISOString()
  const query = {
    ...{ page, limit: PAGE },
    ...(country === undefined ? {} : { country }),
    ...(isWhole ? {} : { at: now }),
  }
  const result = useApi('GET /api/prices', { query }, mayRead)
  const show = useShow<{ page?: number | undefined }>()
  const button = (
    <Button
      look="primary"
      icon="plus"
      onPress={() => {
        setImporting(true)
      }}
    >
      {t('server.prices.import')}
    </Button>
  )
  return (
    <Page title={t('server.prices.title')} hint={t('server.prices.hint')} actions={button}>
      <Guarded needs="campaigns:read">
        <Filters />
        <Loaded result={result} rows={8}>
          {({ items, total_pages: pages }) =>
            items.length === 0 ? (
              <Empty
                icon="campaigns"
                title={t('server.prices.empty')}
                hint={t('server.prices.empty-hint')}
              />
            ) : (
              <>
                <PriceTable label={t('server.prices.title')} prices={items} />
                <Pager
                  page={page}
                  pages={pages}
                  onPage={(to) => {
                    show({ page: to })
                  }}
                />
              </>
            )
          }
        </Loaded>
        {isImporting && (
          <ImportPrices
            onClose={() => {
              setImporting(false)
            }}
          />
        )}
      </Guarded>
    </Page>
  )
}

/** Which prices are listed: of a country, and whether also those of other times. */
function Filters() {
  const { q = '', state } = useSearch({ from: '/server' })
  const show = useShow<{
    q?: string | undefined
    state?: string | undefined
    page?: number | undefined
  }>()
  const [text, setText] = useSearchText(q, PAUSE_MS, (wanted) => {
    show({ q: wanted === '' ? undefined : wanted, page: undefined })
  })
  return (
    <search className="filter-bar">
      <SearchBox label={t('server.prices.find')} value={text} onChange={setText} />
      <Switch
        isSelected={state === 'all'}
        onChange={(all) => {
          show({ state: all ? 'all' : undefined, page: undefined })
        }}
      >
        {t('server.prices.all')}
      </Switch>
    </search>
  )
}
