import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { emit } from '../../infra/outbox/events'
import { MessageStatusChanged } from './events'
import type { MessageRow } from './view'

/** Tells that the status of a message of ours moved. */
export function announceStatus(tx: Tx, ctx: Ctx, row: MessageRow, to: { status: string; timestampMs: number }): void {
  emit(tx, ctx, MessageStatusChanged, {
    contactId: row.contactId,
    payload: { messageId: row.id, contactId: row.contactId, status: to.status, previousStatus: row.status, timestampMs: to.timestampMs },
  })
}
