import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { hasLiveJob } from '../../../../infra/jobs/waiting-jobs'
import { SendMessage, UploadMessageFile } from '../jobs'
import { campaignOf } from '../publish-status'
import { sendKey } from '../rules'
import type { MessageRow } from '../view'
import { gateKeyOf } from './gate-keys'

/**
 * Enqueues the job that sends a message, in the transaction that stores it: in order with the
 * messages of its contact, at the gate of its phone number.
 */
export function enqueueSendIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<MessageRow, 'id' | 'contactId' | 'accountId' | 'source'>,
): void {
  const { accountId } = row
  const campaignId = row.source === 'campaign' ? campaignOf(ctx, row.id) : undefined
  const rank = campaignId !== undefined ? 'campaign' : row.source === 'chatbot' ? 'bot' : 'person'
  enqueue(tx, ctx, SendMessage, {
    args: { messageId: row.id },
    orderingKey: sendKey(row.contactId),
    gateKey: gateKeyOf({ accountId, rank, campaignId }),
  })
}

/** Selects the jobs that send a message. */
export const sendJobOf = ({ id, contactId }: Pick<MessageRow, 'id' | 'contactId'>) => ({
  kind: SendMessage.name,
  orderingKeys: [sendKey(contactId)],
  args: { messageId: id },
})

/**
 * Schedules the upload of a message's media file, unless it is scheduled already. The uploads of
 * one file by one phone number run one after the other, so the second finds the ID of the first.
 */
export function enqueueUploadIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, mediaId, accountId }: { messageId: string; mediaId: string; accountId: string },
): void {
  const orderingKey = `upload:${accountId}:${mediaId}`
  const args = { messageId }
  if (!hasLiveJob(ctx, { kind: UploadMessageFile.name, orderingKeys: [orderingKey], args }))
    enqueue(tx, ctx, UploadMessageFile, { args, orderingKey })
}
