import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded, Pager } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { stateOf } from './state'

const PAGE = 10

/** The imports until now: also those that were left, to go on with them. */
export function Past() {
  const [page, setPage] = useState(1)
  const result = useApi('GET /api/imports', { query: { table: 'contacts', page, limit: PAGE } })
  if (result.data?.total === 0) return null
  return (
    <Section title={t('import.past')}>
      <Loaded result={result} rows={3}>
        {({ items, total_pages: pages }) => (
          <>
            <ItemList label={t('import.past')}>
              {items.map((one) => (
                <Item
                  key={one.id}
                  name={one.filename}
                  link={
                    <Link to="/contacts/import/$importId" params={{ importId: one.id }} search={{}}>
                      <bdi>{one.filename}</bdi>
                    </Link>
                  }
                  hint={[
                    stateOf(one),
                    t('import.rows', { count: one.rows_total }),
                    formatDateTime(one.created_at),
                  ].join(' · ')}
                />
              ))}
            </ItemList>
            <Pager page={page} pages={pages} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
