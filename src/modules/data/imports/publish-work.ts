import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { advanceWorkIn, beginWorkIn } from '../../organization/notifications/work/note'
import type { ImportRow } from './view'

/** Tells the caller that their import begins, or is undone. Runs inside the caller's transaction. */
export const publishStartIn = (
  tx: Tx,
  ctx: Ctx,
  { id, filename: title, rowsTotal: total }: ImportRow,
): void => beginWorkIn(tx, ctx, { kind: 'import', id, title, total, link: `/imports/${id}` })

/** Tells the requester of an import how far it is. Runs inside the caller's transaction. */
export const publishWorkIn = (
  tx: Tx,
  ctx: Ctx,
  { id, rowsDone: done, rowsTotal: total, status }: ImportRow,
): void =>
  advanceWorkIn(tx, ctx, id, {
    state: status === 'queued' || status === 'draft' ? 'running' : status,
    done,
    total,
  })
