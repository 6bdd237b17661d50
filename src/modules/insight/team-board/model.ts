import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const waiting = {
  waiting: Type.Integer({ description: 'Customers who wait for an answer.' }),
  oldest_waiting_at: timeOrNull,
}

/** A member on the board, with their open conversations. */
export const BoardPerson = Type.Object(
  {
    user_id: Uuid,
    full_name: Type.String(),
    is_available: Type.Boolean(),
    away_since: timeOrNull,
    open: Type.Integer({ description: 'Open conversations of this person.' }),
    ...waiting,
  },
  { title: 'BoardPerson' },
)
export type BoardPerson = Static<typeof BoardPerson>

/** A queue of transfers on the board. */
export const BoardQueue = Type.Object(
  {
    team_id: Type.Union([Uuid, Type.Null()], { description: '`null` for the general queue.' }),
    name: Type.Union([Type.String(), Type.Null()]),
    available: Type.Integer({ description: 'Available members of the team, or of all.' }),
    ...waiting,
  },
  { title: 'BoardQueue' },
)
export type BoardQueue = Static<typeof BoardQueue>

/** The whole organization at a glance. */
const BoardSummary = Type.Object(
  {
    available: Type.Integer(),
    away: Type.Integer(),
    open: Type.Integer({ description: 'Open conversations, also those of nobody.' }),
    ...waiting,
  },
  { title: 'BoardSummary' },
)

/** Who works now, and who waits. */
export const TeamBoard = Type.Object(
  {
    items: Type.Array(BoardPerson),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
    total_pages: Type.Integer(),
    queues: Type.Array(BoardQueue),
    summary: BoardSummary,
  },
  { title: 'TeamBoard' },
)
export type TeamBoard = Static<typeof TeamBoard>

/** What changed on the board. */
export const TeamBoardChanges = Type.Object(
  {
    people: Type.Array(BoardPerson, { description: 'The people whose figures changed.' }),
    queues: Type.Array(BoardQueue, { description: 'Those in which something changed.' }),
    summary: BoardSummary,
    reload: Type.Boolean({
      description: '`true` if more changed than is listed: load `GET /api/team-board` again.',
    }),
  },
  { title: 'TeamBoardChanges' },
)
export type TeamBoardChanges = Static<typeof TeamBoardChanges>
