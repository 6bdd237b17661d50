import { and, eq, notInArray } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { masksNumbers } from '../../contacts/sight/visibility'
import type { MessageView } from '../model'
import { createMessageIn } from './create'
import { loadMessageParts } from '../message-parts'
import { visibleMessage } from '../queries'
import { findMessageIn } from './delivery-state'
import { messages } from '../table'
import { messageView, type MessageRow } from '../view'
import { MAY_HAVE_ARRIVED, repeatOf } from './stored-message'

/**
 * Resends a failed or unknown message as a new message of the caller, with all checks of a new one,
 * unless somebody has already. Throws NotFoundError, ConflictError `not_resendable` or
 * `already_resent`, and as `createMessage`.
 */
export function resendMessage(
  ctx: Ctx,
  id: string,
  { takesThread }: { takesThread: boolean },
): MessageView {
  return transact(ctx.db, (tx) => {
    const row = resendIn(tx, ctx, visibleMessage(ctx, id), takesThread)
    return messageView(row, loadMessageParts(ctx, [row])(row), masksNumbers(ctx))
  })
}

/**
 * Resends a message whose discarded job is retried, in the transaction that revives the job. Throws
 * ConflictError `not_resendable` or `already_resent`, and as `createMessage`.
 */
export function resendByIdIn(tx: Tx, ctx: Ctx, messageId: string): void {
  const row = findMessageIn(tx, ctx, messageId)
  if (row) resendIn(tx, ctx, row, false)
}

function resendIn(tx: Tx, ctx: Ctx, row: MessageRow, takesThread: boolean): MessageRow {
  if (row.isObserved)
    throw new ConflictError('This message was sent by someone else and cannot be resent.', {
      code: 'not_resendable',
    })
  if (row.direction !== 'outgoing' || !['failed', 'unknown'].includes(row.status))
    throw new ConflictError(
      `Only failed or unknown messages can be resent. This message is \`${row.status}\`.`,
      {
        code: 'not_resendable',
      },
    )
  if (hasRepeat(ctx, row.id))
    throw new ConflictError('This message was sent again already.', { code: 'already_resent' })
  const repeated = repeatOf(ctx, row)
  const warnings = row.status === 'unknown' ? [MAY_HAVE_ARRIVED] : []
  return createMessageIn(tx, ctx, {
    ...repeated,
    target: { ...repeated.target, takesThread },
    clientRef: row.clientRef,
    repeats: { id: row.id, warnings },
  })
}

/** Whether a message was sent again, and that one did not fail: two people may press at once. */
const hasRepeat = (ctx: Ctx, id: string): boolean =>
  ctx.db.orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(eq(messages.resendOfId, id), notInArray(messages.status, ['failed', 'unknown'])),
      ),
    )
    .limit(1)
    .get() !== undefined
