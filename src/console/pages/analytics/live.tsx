import { useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'

import type { Data } from '../../api/client'
import type { Conversation } from '../../api/shapes'
import { useBoardEvents } from '../../live/use-board'
import { useApi } from '../../live/query'
import { useNow } from '../../live/use-now'
import type { Owner } from '../../parts/assign-picker'
import { Avatar } from '../../parts/avatar'
import { useDropTarget } from '../../parts/drop-target'
import { useShow } from '../../parts/list-page'
import { Loaded, Pager } from '../../parts/loaded'
import { formatDuration, formatNumber, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { useHandOver, Waiting } from './longest-waits'

type Board = Data<'GET /api/team-board'>
/** Gives the conversation that is dragged to somebody; `null` while none is. */
type HandOver = ((owner: Owner, name: string) => void) | null

/** How often the times of waiting move, milliseconds. */
const STEP_MS = 10_000
const PAGE_SIZE = 100

/** The live board for supervisors: who is available, their open conversations, and who waits. Events keep it fresh. */
export function Live() {
  const { page = 1 } = useSearch({ from: '/analytics' })
  const show = useShow<{ page?: number | undefined }>()
  useBoardEvents()
  const [dragged, setDragged] = useState<Conversation | null>(null)
  const give = useHandOver()
  const handOver: HandOver =
    dragged &&
    ((owner, name) => {
      setDragged(null)
      give(dragged, owner, { name })
    })
  const result = useApi('GET /api/team-board', { query: { page, limit: PAGE_SIZE } })
  return (
    <Loaded result={result} rows={8}>
      {(board) => (
        <>
          <Summary {...board.summary} />
          <div className="live-board">
            <Waiting onDrag={setDragged} />
            <div className="live-tables">
              <People people={board.items} handOver={handOver} />
              <Pager
                page={page}
                pages={board.total_pages}
                onPage={(chosen) => {
                  show({ page: chosen })
                }}
              />
              <Queues queues={board.queues} handOver={handOver} />
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

function People({ people, handOver }: { people: Board['items']; handOver: HandOver }) {
  const name = t('analytics.people.person')
  return (
    <Figures
      title={t('analytics.live.people')}
      columns={[name, t('analytics.live.state'), t('analytics.live.has'), ...waitingColumns()]}
    >
      {people.map((one) => (
        <PersonRow key={one.user_id} one={one} handOver={handOver} />
      ))}
    </Figures>
  )
}

function PersonRow({ one, handOver }: { one: Board['items'][number]; handOver: HandOver }) {
  const { user_id: id, full_name: name, is_available: isAvailable, away_since: since } = one
  const target = useDropTarget(
    handOver &&
      (() => {
        handOver({ to: 'user', id }, name)
      }),
  )
  return (
    <tr {...target}>
      <th scope="row">
        <span className="live-person">
          <Avatar name={name} size="small" />
          <bdi>{name}</bdi>
        </span>
      </th>
      <td>
        <span className={isAvailable ? 'chip good' : 'chip'}>
          {isAvailable
            ? t('shell.account.available')
            : since === null
              ? t('shell.account.away')
              : t('analytics.live.away-since', { time: formatShort(since) })}
        </span>
      </td>
      <td>{formatNumber(one.open)}</td>
      <td>{formatNumber(one.waiting)}</td>
      <td>
        <Since at={one.oldest_waiting_at} />
      </td>
    </tr>
  )
}

function Queues({ queues, handOver }: { queues: Board['queues']; handOver: HandOver }) {
  return (
    <Figures
      title={t('analytics.live.queues')}
      columns={[t('analytics.live.queue'), t('analytics.live.available'), ...waitingColumns()]}
    >
      {queues.map((one) => (
        <QueueRow key={one.team_id ?? 'general'} one={one} handOver={handOver} />
      ))}
    </Figures>
  )
}

function QueueRow({ one, handOver }: { one: Board['queues'][number]; handOver: HandOver }) {
  const { team_id: id } = one
  const name = one.name ?? t('transfers.queue.general')
  const target = useDropTarget(
    handOver &&
      (() => {
        handOver(id === null ? { to: 'queue' } : { to: 'team', id }, name)
      }),
  )
  return (
    <tr {...target}>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>{formatNumber(one.available)}</td>
      <td>{formatNumber(one.waiting)}</td>
      <td>
        <Since at={one.oldest_waiting_at} />
      </td>
    </tr>
  )
}
