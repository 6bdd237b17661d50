import { useState } from 'react'

import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import type { Transfer, TransferList } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { FoundSelect } from '../../parts/found-select'
import { ItemList } from '../../parts/item-list'
import { useKeys } from '../../parts/keys'
import { Guarded, Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { Select } from '../../parts/select'
import { Empty } from '../../parts/state'
import { report } from '../../parts/toast'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { useActions } from './actions'
import { DropOn } from './drop-on'
import { TransferRow } from './row'

const TABS = ['waiting', 'mine', 'active', 'ended'] as const
type Tab = (typeof TABS)[number]

const FILTERS: Record<Tab, { status: 'active' | 'resumed'; agent_id?: string }> = {
  waiting: { status: 'active', agent_id: 'none' },
  mine: { status: 'active', agent_id: 'me' },
  active: { status: 'active' },
  ended: { status: 'resumed' },
}

/** The queues of customers who wait for a person. */
export function Transfers() {
  const search = useSearch({ from: '/transfers' })
  const navigate = useNavigate()
  const actions = useActions()
  const mayTake = useCan('transfers:pickup')
  const tab = search.show ?? 'waiting'
  const page = search.page ?? 1
  const result = useApi(
    'GET /api/chatbot/transfers',
    {
      query: {
        ...FILTERS[tab],
        ...(search.team === undefined ? {} : { team_id: search.team }),
        ...(search.sla === undefined ? {} : { sla: search.sla }),
        page,
        limit: 50,
      },
    },
    useCan('transfers:read'),
  )
  const [dragged, setDragged] = useState<Transfer | null>(null)
  const takeNext = (): void => {
    actions.takeNext(search.team)
  }
  useKeys(mayTake ? { p: takeNext } : {})
  const button = mayTake && (
    <Button look="primary" icon="assign" onPress={takeNext}>
      {t('transfers.action.next')}
    </Button>
  )
  return (
    <Page title={t('transfers.title')} actions={button}>
      <Guarded needs="transfers:read">
        <Tabs tab={tab} />
        <Filters list={result.data} />
        <Loaded result={result}>
          {({ transfers, total_pages: pages, next_cursor: next }) => (
            <>
              {transfers.length === 0 ? (
                <Nobody tab={tab} />
              ) : (
                <ItemList label={t('transfers.title')}>
                  {transfers.map((one) => (
                    <TransferRow
                      key={one.id}
                      transfer={one}
                      actions={actions}
                      onDrag={setDragged}
                    />
                  ))}
                </ItemList>
              )}
              <Pager
                page={page}
                pages={pages}
                hasNext={next !== null}
                onPage={(chosen) => {
                  navigate({ to: '.', search: { ...search, page: chosen } }).catch(report)
                }}
              />
            </>
          )}
        </Loaded>
        {dragged && (
          <DropOn
            onDrop={(userId) => {
              setDragged(null)
              actions.assign(dragged, userId)
            }}
          />
        )}
      </Guarded>
    </Page>
  )
}

/** What an empty list says. Without a queue for new customers, that is why nobody waits. */
function Nobody({ tab }: { tab: Tab }) {
  const { settings } = useMe().organization
  const isWithoutQueue = tab === 'waiting' && settings.new_conversations === 'nobody'
  const which = isWithoutQueue ? 'assigned' : tab
  return (
    <Empty
      icon="transfers"
      title={t(`transfers.empty.${which}`)}
      hint={t(`transfers.empty.${which}-hint`)}
    />
  )
}

/** Waiting ones, own ones, all that are active, or those that ended. */
function Tabs({ tab }: { tab: Tab }) {
  const { page: _, show: __, ...rest } = useSearch({ from: '/transfers' })
  return (
    <nav className="tabs" aria-label={t('transfers.tab.label')}>
      {TABS.map((one) => (
        <Link
          key={one}
          to="/transfers"
          activeOptions={{ exact: true }}
          search={one === 'waiting' ? rest : { ...rest, show: one }}
          aria-current={one === tab ? 'page' : undefined}
        >
          {t(`transfers.tab.${one}`)}
        </Link>
      ))}
    </nav>
  )
}

const ALL = 'all'

/** Limits the list to one queue or to a deadline. */
function Filters({ list }: { list: TransferList | undefined }) {
  const search = useSearch({ from: '/transfers' })
  const navigate = useNavigate()
  const choose = (name: 'team' | 'sla', value: string): void => {
    const { page: _, [name]: __, ...rest } = search
    navigate({
      to: '/transfers',
      search: value === ALL ? rest : { ...rest, [name]: value },
      replace: true,
    }).catch(report)
  }
  const queue = (name: string, count: number): string =>
    t('transfers.queue.named', { name, count: formatNumber(count) })
  return (
    <div className="filter-bar">
      <FoundSelect
        kind="team"
        label={t('transfers.queue.label')}
        isLabelHidden
        value={search.team ?? ALL}
        first={[
          { id: ALL, label: t('transfers.queue.all') },
          {
            id: 'general',
            label: queue(t('transfers.queue.general'), list?.general_queue_count ?? 0),
          },
        ]}
        labelOf={({ id, name }) => queue(name, list?.team_queue_counts[id] ?? 0)}
        onChange={(id) => {
          choose('team', id)
        }}
      />
      <Select
        label={t('transfers.sla.label')}
        isLabelHidden
        value={search.sla ?? ALL}
        choices={[
          { id: ALL, label: t('transfers.sla.any') },
          { id: 'due', label: t('transfers.sla.due') },
          { id: 'breached', label: t('transfers.sla.breached') },
        ]}
        onChange={(id) => {
          choose('sla', id)
        }}
      />
    </div>
  )
}
