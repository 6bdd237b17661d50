import { SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import type { RequestedBy } from '../../organization/auth/delegated-ctx'
import { WorkProgressed } from '../../organization/notifications/events'
import type { ImportRow } from './view'

/** Minimum interval between two published changes of an import that runs, milliseconds. */
export const MIN_INTERVAL_MS = SECOND_MS

/** Tells the requester of an import how far it is. Runs inside the caller's transaction. */
export function publishWorkIn(tx: Tx, ctx: Ctx, row: ImportRow): void {
  const { userId } = JSON.parse(row.actor) as RequestedBy
  if (userId === null) return
  const { id, filename: title, rowsDone: done, rowsTotal: total, status } = row
  const state = status === 'queued' ? 'running' : status
  emit(tx, ctx, WorkProgressed, {
    contactId: null,
    payload: { userId, work: { kind: 'import', id, title, state, done, total } },
  })
}
