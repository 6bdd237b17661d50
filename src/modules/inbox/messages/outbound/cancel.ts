import { eq, inArray, lt } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { getAccount } from '../../../channel/accounts/queries'
import { getVisibleContact, masksNumbers, visibleTo } from '../../contacts/sight/visibility'
import type { MessageView } from '../model'
import { loadMessageParts } from '../message-parts'
import { visibleMessage } from '../queries'
import {
  failWaitingIn,
  findMessageIn,
  isPending,
  isWaiting,
  ownFailure,
  PENDING_STATES,
} from './delivery-state'
import { messages } from '../table'
import { messageView } from '../view'
import { yieldToEventLoop } from '../../../../infra/event-loop'

const CANCELLED = ownFailure('cancelled', 'The message was canceled before it was sent.')

/** Messages canceled per transaction. */
const BATCH = 500

/** Cancels an unsent message. Throws NotFoundError, and ConflictError `already_sent`. */
export function cancelMessage(ctx: Ctx, id: string): MessageView {
  return transact(ctx.db, (tx) => {
    const row = visibleMessage(ctx, id)
    if (!isWaiting(row))
      throw new ConflictError(
        'The message has already been submitted to the platform and cannot be canceled.',
        {
          code: 'already_sent',
        },
      )
    failWaitingIn(tx, ctx, row, CANCELLED, true)
    const after = findMessageIn(tx, ctx, id) ?? row
    return messageView(after, loadMessageParts(ctx, [after])(after), masksNumbers(ctx))
  })
}

/**
 * Selects waiting messages of a phone number, optionally of one contact or created before a time.
 */
export interface CancelQuery {
  accountId: string
  contactId?: string | undefined
  olderThanMs?: number | undefined
}

/**
 * Cancels the unsent messages of a phone number in batches. Returns their number. Throws
 * NotFoundError for an unknown number or a contact that is not visible.
 */
export async function cancelPending(ctx: Ctx, query: CancelQuery): Promise<{ cancelled: number }> {
  const account = getAccount(ctx, query.accountId)
  if (query.contactId !== undefined) getVisibleContact(ctx, query.contactId)
  let cancelled = 0
  for (let done = BATCH; done === BATCH; cancelled += done) {
    done = transact(ctx.db, (tx) => cancelBatchIn(tx, ctx, query))
    await yieldToEventLoop()
  }
  transact(ctx.db, (tx) => {
    const changes = [{ field: 'cancelled', old_value: null, new_value: cancelled }]
    recordAudit(tx, ctx, {
      action: 'outbox_cancelled',
      resourceType: 'account',
      resourceId: account.id,
      resourceName: account.name,
      changes,
    })
  })
  return { cancelled }
}

function cancelBatchIn(tx: Tx, ctx: Ctx, query: CancelQuery): number {
  const rows = tx
    .select()
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        eq(messages.accountId, query.accountId),
        isPending,
        inArray(messages.stage, [...PENDING_STATES]),
        query.contactId === undefined ? undefined : eq(messages.contactId, query.contactId),
        query.olderThanMs === undefined ? undefined : lt(messages.createdAtMs, query.olderThanMs),
        visibleTo(ctx, messages.contactId),
      ),
    )
    .orderBy(messages.createdAtMs, messages.id)
    .limit(BATCH)
    .all()
  for (const row of rows) failWaitingIn(tx, ctx, row, CANCELLED, true)
  return rows.length
}
