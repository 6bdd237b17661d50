import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Item, ItemList } from '../../parts/item-list'
import { useShow } from '../../parts/list-page'
import { Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Empty } from '../../parts/state'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { NewImport } from './new-import'
import type { OrganizationImport } from './rules'

const PAGE = 20

/** Returns what an import is called: by its organization, or by its file. */
export const nameOfImport = ({ organization, filename }: OrganizationImport): string =>
  organization?.name ?? filename ?? t('server.imports.unnamed')

/** How far an import is, in a word. */
export const ImportState = ({ state }: Pick<OrganizationImport, 'state'>) => (
  <span
    className={`chip ${state === 'failed' ? 'danger' : state === 'completed' ? 'good' : state === 'checked' ? 'warn' : ''}`}
  >
    {t(`server.import-state.${state}`)}
  </span>
)

/** The imports of organizations from archives. */
export function Imports() {
  const { page = 1 } = useSearch({ from: '/server' })
  const [isNew, setNew] = useState(false)
  const result = useApi('GET /api/admin/organizations/imports', { query: { page, limit: PAGE } })
  const show = useShow<{ page?: number | undefined }>()
  return (
    <Page
      title={t('server.imports.title')}
      hint={t('server.imports.hint')}
      actions={
        <Button
          look="primary"
          icon="plus"
          onPress={() => {
            setNew(true)
          }}
        >
          {t('server.imports.start')}
        </Button>
      }
    >
      <Loaded result={result}>
        {({ items, total_pages: pages }) =>
          items.length === 0 ? (
            <Empty
              icon="building"
              title={t('server.imports.empty')}
              hint={t('server.imports.empty-hint')}
            />
          ) : (
            <>
              <ItemList label={t('server.imports.title')}>
                {items.map((one) => (
                  <Item
                    key={one.id}
                    name={nameOfImport(one)}
                    link={
                      <Link
                        to="/server/imports/$importId"
                        params={{ importId: one.id }}
                        search={{}}
                      >
                        <bdi>{nameOfImport(one)}</bdi>
                      </Link>
                    }
                    badge={<ImportState state={one.state} />}
                    hint={formatDateTime(one.created_at)}
                  />
                ))}
              </ItemList>
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
      {isNew && (
        <NewImport
          onClose={() => {
            setNew(false)
          }}
        />
      )}
    </Page>
  )
}
