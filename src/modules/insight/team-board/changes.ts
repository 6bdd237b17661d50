import type { TeamBoardChanges } from './model'
import type { WholeBoard } from './queries'

/** Rows of a kind that an event lists at most, so that it stays small. */
const MAX_LISTED = 20

/** Returns the rows of a list that are new or differ; `null` if there are many, or one has gone. */
function changedRows<Row>(
  before: readonly Row[],
  now: readonly Row[],
  idOf: (row: Row) => unknown,
): Row[] | null {
  const known = new Map(before.map((row) => [idOf(row), JSON.stringify(row)]))
  const changed = now.filter((row) => known.get(idOf(row)) !== JSON.stringify(row))
  const kept = now.filter((row) => known.has(idOf(row))).length
  return kept < before.length || changed.length > MAX_LISTED ? null : changed
}

/** Returns what changed on the board; `null` for nothing. Without a board before, it is all. */
export function changesOf(now: WholeBoard, before: WholeBoard | null): TeamBoardChanges | null {
  const { summary } = now
  const people = before && changedRows(before.items, now.items, ({ user_id: id }) => id)
  const queues = before && changedRows(before.queues, now.queues, ({ team_id: id }) => id)
  if (!people || !queues) return { people: [], queues: [], summary, reload: true }
  const isSame = JSON.stringify(before.summary) === JSON.stringify(summary)
  return isSame && people.length + queues.length === 0
    ? null
    : { people, queues, summary, reload: false }
}
