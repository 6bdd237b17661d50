import { Type } from '@sinclair/typebox'

import { defineJob, defineTransactionJob } from '../../infra/jobs/define'
import { hurry } from '../../infra/jobs/enqueue'
import { AccountChanged } from '../accounts/events'
import { MediaStored } from '../media/events'
import { announceFileIn } from './file-news'
import { SEND_JOB, sendKey } from './policy'
import { contactsWithHeldMessages } from './queries'
import { deliverMessage, failAbandonedIn } from './send'

/** The retry plan of each class and the message's expiry end it earlier. */
const MOST_ATTEMPTS = 200

const SEND_TIMEOUT_MS = 45_000

/** Hands one message to the platform, however often it must wait for that. */
export const sendMessage = defineJob({
  name: SEND_JOB,
  lane: 'send',
  args: Type.Object({ messageId: Type.String() }),
  maxAttempts: MOST_ATTEMPTS,
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
    hurry(tx, ctx, { kind: SEND_JOB, serialKeys: contactsWithHeldMessages(ctx, accountId).map(sendKey) })
  },
})

/** Tells that the file of a message came, or failed for good. */
export const announceFile = defineTransactionJob({
  name: 'message.announce-file',
  lane: 'default',
  args: MediaStored.payload,
  isKept: false,
  run: (tx, ctx, { mediaId }) => announceFileIn(tx, ctx, mediaId),
})
