import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { endSessionIn } from '../engine/production/end-sessions'
import type { BotSessionView } from './model'
import { getVisibleSession, maskingOf } from './queries'
import { sessionView } from './view'

/**
 * Ends an active session without a message. Its conversation is open. Throws NotFoundError and
 * ConflictError `bot_session_ended`.
 */
export function cancelSession(ctx: Ctx, id: string): BotSessionView {
  return transact(ctx.db, (tx) => {
    const row = getVisibleSession(ctx, id)
    if (row.status !== 'active')
      throw new ConflictError(`This session has ended: it is \`${row.status}\`.`, {
        code: 'bot_session_ended',
      })
    const ended = endSessionIn(tx, ctx, row, { status: 'cancelled', reason: 'cancelled' })
    recordAudit(tx, ctx, {
      action: 'cancelled',
      resourceType: 'bot_session',
      resourceId: id,
      resourceName: null,
    })
    return sessionView(ended, maskingOf(ctx, row.contactId))
  })
}
