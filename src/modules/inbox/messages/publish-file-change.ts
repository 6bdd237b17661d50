import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { publishCallFileIn } from '../../channel/calls/publish'
import { MessageUpdated } from './events'
import { messages } from './table'

/**
 * Publishes that the file of messages or calls became available, failed or expired.
 */
export function publishFileChangeIn(tx: Tx, ctx: Ctx, mediaId: string): void {
  const carriers = tx
    .select({ id: messages.id, contactId: messages.contactId })
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.mediaId, mediaId)))
    .orderBy(messages.id)
    .all()
  for (const { id, contactId } of carriers)
    emit(tx, ctx, MessageUpdated, {
      contactId,
      payload: { messageId: id, contactId, changed: ['media'] },
    })
  publishCallFileIn(tx, ctx, mediaId)
}
