import type { Data } from '../api/client'
import { changeData } from './change-data'
import type { Effect } from './effect'
import { invalidateSoon } from './refresh'

const ROUTE = 'GET /api/team-board'

type Board = Data<typeof ROUTE>
type Person = Board['items'][number]

/** Whose customers wait longest come first, then who has most; otherwise as they were. */
const byNeed = (one: Person, other: Person): number =>
  (one.oldest_waiting_at ?? '~').localeCompare(other.oldest_waiting_at ?? '~') ||
  other.open - one.open

/** Replaces the rows that an event brings. */
const withNew = <T>(rows: readonly T[], news: readonly T[], idOf: (row: T) => unknown): T[] => {
  const fresh = new Map(news.map((row) => [idOf(row), row]))
  return rows.map((row) => fresh.get(idOf(row)) ?? row)
}

/** What changed on the board. Of several pages, rows may have changed places between them. */
export const onBoard: Effect = (client, payload) => {
  // events are not among the types of the API; this is what the server sends
  const news = payload as Pick<Board, 'queues' | 'summary'> & { people: Person[]; reload: boolean }
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: [ROUTE] }))
    changeData<Board>(client, queryKey, (known) => ({
      ...known,
      items: withNew(known.items, news.people, ({ user_id: id }) => id).toSorted(byNeed),
      queues: withNew(known.queues, news.queues, ({ team_id: id }) => id),
      summary: news.summary,
    }))
  const isSplit = client
    .getQueriesData<Board>({ queryKey: [ROUTE] })
    .some(([, board]) => (board?.total_pages ?? 0) > 1)
  if (news.reload || isSplit) invalidateSoon(client, ROUTE)
}
