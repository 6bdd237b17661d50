import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { Data } from '../../api/client'
import { useBoardEvents } from '../../live/use-board'
import { useApi } from '../../live/query'
import { useNow } from '../../live/use-now'
import { Avatar } from '../../parts/avatar'
import { useShow } from '../../parts/list-page'
import { Loaded, Pager } from '../../parts/loaded'
import { formatDuration, formatNumber, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { Waiting } from './longest-waits'

type Board = Data<'GET /api/team-board'>

/** How often the times of waiting move, milliseconds. */
const STEP_MS = 10_000
const PAGE_SIZE = 100

/** The live board for supervisors: who is available, their open conversations, and who waits. Events keep it fresh. */
export function Live() {
  const { page = 1 } = useSearch({ from: '/analytics' })
  const show = useShow<{ page?: number | undefined }>()
  useBoardEvents()
  const result = useApi('GET /api/team-board', { query: { page, limit: PAGE_SIZE } })
  return (
    <Loaded result={result} rows={8}>
      {(board) => (
        <>
          <Summary {...board.summary} />
          <div className="live-board">
            <Waiting />
            <div className="live-tables">
              <People people={board.items} />
              <Pager
                page={page}
                pages={board.total_pages}
                onPage={(chosen) => {
                  show({ page: chosen })
                }}
              />
              <Queues queues={board.queues} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

/** For how long somebody waits; nothing if nobody does. */
function Since({ at }: { at: string | null }) {
  const now = useNow(STEP_MS)
  return at === null ? '–' : formatDuration(Math.max(0, now - Date.parse(at)))
}

function Summary({ available, away, open, waiting, oldest_waiting_at: at }: Board['summary']) {
  const figures = [
    [
      t('analytics.live.available'),
      t('analytics.live.of', {
        count: formatNumber(available),
        all: formatNumber(available + away),
      }),
    ],
    [t('analytics.live.open'), formatNumber(open)],
    [t('analytics.live.waiting'), formatNumber(waiting)],
    [t('analytics.live.longest'), <Since key="since" at={at} />],
  ] as const
  return (
    <ul className="figures" aria-label={t('analytics.live.now')}>
      {figures.map(([name, value]) => (
        <li key={name}>
          <span className="figure-card">
            <span className="figure-name">{name}</span>
            <span className="figure-value">{value}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

interface TableProps {
  title: string
  columns: readonly string[]
  children: ReactNode
}

function Figures({ title, columns, children }: TableProps) {
  return (
    <section className="chart" aria-label={title}>
      <h3>{title}</h3>
      <div className="chart-table" role="region" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  )
}

const waitingColumns = (): string[] => [t('analytics.live.waiting'), t('analytics.live.longest')]

function People({ people }: { people: Board['items'] }) {
  const name = t('analytics.people.person')
  return (
    <Figures
      title={t('analytics.live.people')}
      columns={[name, t('analytics.live.state'), t('analytics.live.has'), ...waitingColumns()]}
    >
      {people.map((one) => (
        <tr key={one.user_id}>
          <th scope="row">
            <span className="live-person">
              <Avatar name={one.full_name} size="small" />
              <bdi>{one.full_name}</bdi>
            </span>
          </th>
          <td>
            <span className={one.is_available ? 'chip good' : 'chip'}>
              {one.is_available
                ? t('shell.account.available')
                : one.away_since === null
                  ? t('shell.account.away')
                  : t('analytics.live.away-since', { time: formatShort(one.away_since) })}
            </span>
          </td>
          <td>{formatNumber(one.open)}</td>
          <td>{formatNumber(one.waiting)}</td>
          <td>
            <Since at={one.oldest_waiting_at} />
          </td>
        </tr>
      ))}
    </Figures>
  )
}

function Queues({ queues }: { queues: Board['queues'] }) {
  return (
    <Figures
      title={t('analytics.live.queues')}
      columns={[t('analytics.live.queue'), t('analytics.live.available'), ...waitingColumns()]}
    >
      {queues.map((one) => (
        <tr key={one.team_id ?? 'general'}>
          <th scope="row">
            <bdi>{one.name ?? t('transfers.queue.general')}</bdi>
          </th>
          <td>{formatNumber(one.available)}</td>
          <td>{formatNumber(one.waiting)}</td>
          <td>
            <Since at={one.oldest_waiting_at} />
          </td>
        </tr>
      ))}
    </Figures>
  )
}
