import { Type } from '@sinclair/typebox'

import { defineJob, defineTransactionJob } from '../../infra/jobs/define'
import { hurry } from '../../infra/jobs/enqueue'
import { AccountChanged } from '../accounts/events'
import { contactsWithHeldMessages } from './queries'
import { deliverMessage, failAbandonedIn } from './send'

const SEND_TIMEOUT_MS = 45_000

/** Jobs of one contact's messages run one after the other, in the order of their rows. */
export const sendKey = (contactId: string): string => `send:${contactId}`

/** Hands one message to the platform, however often it must wait for that. */
export const sendMessage = defineJob({
  name: 'message.send',
  lane: 'send',
  args: Type.Object({ messageId: Type.String() }),
  timeoutMs: SEND_TIMEOUT_MS,
  run: (ctx, { messageId }) => deliverMessage(ctx, messageId),
  whenDiscarded: (tx, ctx, { messageId }) => failAbandonedIn(tx, ctx, messageId),
})

/** Lets the messages that a number held go on as soon as something about the number changed. */
export const releaseHeldMessages = defineTransactionJob({
  name: 'message.release-held',
  lane: 'default',
  args: AccountChanged.payload,
  isKept: false,
  run: (tx, ctx, { accountId }) => {
    hurry(tx, ctx, { kind: sendMessage.name, serialKeys: contactsWithHeldMessages(ctx, accountId).map(sendKey) })
  },
})
