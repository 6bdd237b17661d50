import { useSearch } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { GuideLink } from '../../parts/guide-link'
import { useShow } from '../../parts/list-page'
import { Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { t } from '../../texts/texts'
import { useOrganizationNames } from './jobs'
import { MoveItem } from './move-item'

const PAGE = 20

/** The moves of organizations from this server to others. */
export function Moves() {
  const { page = 1 } = useSearch({ from: '/server' })
  const result = useApi('GET /api/admin/organizations/moves', { query: { page, limit: PAGE } })
  const names = useOrganizationNames()
  const show = useShow<{ page?: number | undefined }>()
  return (
    <Page
      title={t('server.moves.title')}
      hint={t('server.moves.hint')}
      actions={<GuideLink href="/docs/move-organization" isButton />}
    >
      <Loaded result={result}>
        {({ items, total_pages: pages }) =>
          items.length === 0 ? (
            <Empty
              icon="transfers"
              title={t('server.moves.empty')}
              hint={t('server.moves.empty-hint')}
            />
          ) : (
            <>
              <ul className="item-list" aria-label={t('server.moves.title')}>
                {items.map((move) => (
                  <MoveItem
                    key={move.id}
                    move={move}
                    name={names.get(move.organization_id) ?? move.organization_id}
                  />
                ))}
              </ul>
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
    </Page>
  )
}
