import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { runHooks } from '../../../../infra/transaction-hooks'
import { MessageEchoed, PersonWrote } from '../events'
import { messageFieldsIn } from './content'
import { observedSourceOf } from './handover'
import type { InboundItem } from './item'
import { contactOfItemIn } from './contact'
import { isKnownStatus } from '../rules'
import { deriveStatusIn } from '../status/derive'
import { recordStatusIn } from '../status/ledger'
import { storeMessageIn } from '../store'
import type { MessageRow } from '../view'

/**
 * Stores a message sent from the phone app, or by another owner of the thread, with the statuses
 * reported before it, in the caller's transaction. Returns `null` if its platform ID is already
 * stored. A message from the phone app counts as an answer. None changes the assignee.
 */
export function receiveEchoIn(tx: Tx, ctx: Ctx, item: InboundItem): MessageRow | null {
  const { isPast } = item
  const contact = contactOfItemIn(tx, ctx, item, null)
  const { fields, conversation } = messageFieldsIn(tx, ctx, item, contact)
  const stored = storeMessageIn(
    tx,
    ctx,
    {
      ...fields,
      direction: 'outgoing',
      status: 'sent',
      stage: 'accepted',
      source: item.isObserved
        ? observedSourceOf(ctx, { conversationId: conversation.id, atMs: fields.timestampMs })
        : 'phone_app',
      acceptedAtMs: fields.timestampMs,
      sentAtMs: fields.timestampMs,
    },
    {
      opensWindow: false,
      unread: 0,
      reopens: false,
      isAnswer: !isPast && !item.isObserved,
      isPast,
      conversation,
    },
  )
  if (!stored) return null
  if (!isPast)
    emit(tx, ctx, MessageEchoed, {
      contactId: contact.id,
      payload: {
        messageId: stored.id,
        contactId: contact.id,
        ...(item.isLate ? { isLate: true } : {}),
        ...(item.isObserved ? { isObserved: true } : {}),
      },
    })
  if (!isPast && !item.isObserved && !item.isLate)
    runHooks(tx, ctx, PersonWrote, {
      messageId: stored.id,
      contactId: contact.id,
      accountId: stored.accountId,
      atMs: stored.timestampMs,
    })
  if (item.pastStatus != null && isKnownStatus(item.pastStatus))
    recordStatusIn(tx, ctx, pastFact(stored, item.pastStatus))
  deriveStatusIn(tx, ctx, stored, { isQuiet: isPast })
  return stored
}

const pastFact = (
  { accountId, waMessageId, timestampMs, receivedAtMs }: MessageRow,
  status: string,
) => ({
  accountId,
  waMessageId: waMessageId ?? '',
  status,
  timestampMs,
  receivedAtMs,
})
