import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import type { WorkView } from './model'
import type { works } from './table'

/** Returns work as the API shows it. */
export const workView = (row: typeof works.$inferSelect): WorkView => ({
  kind: row.kind,
  id: row.id,
  title: row.title,
  state: row.state,
  done: row.done,
  total: row.total,
  link: row.link,
  started_at: isoTime(row.startedAtMs),
  ended_at: isoTimeOrNull(row.endedAtMs),
})
