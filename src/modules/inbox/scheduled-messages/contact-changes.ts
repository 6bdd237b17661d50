import { and, eq, inArray, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { deleteMediaIn } from '../../channel/media/delete-files'
import { exclusiveFilesIn } from '../messages/contact-changes/message-files'
import type { ArrivedMessage } from '../messages/events'
import { endScheduledIn, failScheduledIn } from './end'
import { FailForAccount } from './jobs'
import { openOfAccount, openOfContact } from './queries'
import type { ScheduledError } from './row'
import { scheduledFiles, scheduledMessages } from './table'

/** Rows changed in one transaction. */
const AT_ONCE = 100

const CLOSED: Record<'blocked' | 'deleted' | 'erased', ScheduledError> = {
  blocked: { code: 'contact_blocked', message: 'The contact was blocked.' },
  deleted: { code: 'contact_deleted', message: 'The contact was deleted.' },
  erased: { code: 'contact_deleted', message: 'The contact was erased.' },
}

/** Fails the scheduled messages of a contact that is blocked, deleted or erased. */
export const failForContactIn = (
  tx: Tx,
  ctx: Ctx,
  { contactId, reason }: { contactId: string; reason: keyof typeof CLOSED },
): void => failScheduledIn(tx, ctx, openOfContact(ctx, contactId), CLOSED[reason])

/** Compiled, because every message that arrives asks for it. */
const cancelledByReply = compiled((orm) =>
  orm
    .select()
    .from(scheduledMessages)
    .where(
      inOrganization(
        anyScope,
        scheduledMessages,
        eq(scheduledMessages.contactId, place(scheduledMessages.contactId, 'contactId')),
        eq(scheduledMessages.accountId, place(scheduledMessages.accountId, 'accountId')),
        sql`${scheduledMessages.state} = 'scheduled' and ${scheduledMessages.cancelsOnReply} = 1`,
        // The platform tells times in seconds.
        sql`${scheduledMessages.createdAtMs} < ${sql.placeholder('atMs')} + 1000`,
      ),
    )
    .prepare(),
)

/** Cancels the scheduled messages of a contact that were to be sent only if it does not write. */
export function cancelOnReplyIn(tx: Tx, ctx: Ctx, arrived: ArrivedMessage): void {
  const { contactId, accountId, atMs } = arrived
  const { organizationId } = ctx
  const rows = cancelledByReply(ctx.db).all({ organizationId, contactId, accountId, atMs })
  for (const row of rows) endScheduledIn(tx, ctx, row, { state: 'cancelled' })
}

/** Moves the scheduled messages of a contact to another one, in the transaction of their merge. */
export function moveScheduledIn(
  tx: Tx,
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): void {
  tx.update(scheduledMessages)
    .set({ contactId: to })
    .where(inOrganization(ctx, scheduledMessages, eq(scheduledMessages.contactId, from)))
    .run()
}

/** Gives a contact back what was written for it, in the transaction that undoes a merge. */
export function separateScheduledIn(
  tx: Tx,
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): void {
  tx.update(scheduledMessages)
    .set({ contactId: to })
    .where(
      inOrganization(
        ctx,
        scheduledMessages,
        and(eq(scheduledMessages.contactId, from), eq(scheduledMessages.writtenForId, to)),
      ),
    )
    .run()
}

/**
 * Fails the scheduled messages of a disconnected phone number, 100 at a time; a job continues. Runs
 * inside the caller's transaction.
 */
export function failForAccountIn(tx: Tx, ctx: Ctx, { accountId }: { accountId: string }): void {
  const rows = openOfAccount(ctx, accountId, AT_ONCE)
  failScheduledIn(tx, ctx, rows, {
    code: 'account_deleted',
    message: 'The phone number was disconnected.',
  })
  if (rows.length === AT_ONCE) enqueue(tx, ctx, FailForAccount, { args: { accountId } })
}

/**
 * Deletes up to 100 scheduled messages of a contact with their files, in the transaction that erases
 * it. Returns the number deleted.
 */
export function eraseScheduledIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const rows = tx
    .select({ id: scheduledMessages.id, storedFiles: scheduledMessages.storedFiles })
    .from(scheduledMessages)
    .where(inOrganization(ctx, scheduledMessages, eq(scheduledMessages.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  const files = tx
    .delete(scheduledFiles)
    .where(inOrganization(ctx, scheduledFiles, inArray(scheduledFiles.scheduledId, ids)))
    .returning({ mediaId: scheduledFiles.mediaId })
    .all()
  tx.delete(scheduledMessages)
    .where(inOrganization(ctx, scheduledMessages, inArray(scheduledMessages.id, ids)))
    .run()
  deleteMediaIn(
    tx,
    ctx,
    exclusiveFilesIn(
      tx,
      ctx,
      contactId,
      files.map(({ mediaId }) => mediaId),
    ),
  )
  return ids.length
}
