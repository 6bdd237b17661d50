import { Type } from '@sinclair/typebox'

import { defineJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { sendKey } from '../rules'
import { abandonReactionIn, deliverReaction } from '../reactions/deliver'
import type { EnqueueReaction } from '../reactions/send'

const MAX_ATTEMPTS = 200
const SEND_TIMEOUT_MS = 45_000

/**
 * Hands one change of a reaction of ours to the platform, in order with the messages of its
 * contact.
 */
export const sendReaction = defineJob({
  name: 'message.react',
  lane: 'send',
  args: Type.Object({ messageId: Type.String(), change: Type.String() }),
  maxAttempts: MAX_ATTEMPTS,
  timeoutMs: SEND_TIMEOUT_MS,
  run: (ctx, at) => deliverReaction(ctx, at),
  whenDiscarded: (tx, ctx, at) => abandonReactionIn(tx, ctx, at),
})

/** Puts the job that hands a reaction over into the queue, in the caller's transaction. */
export const enqueueReaction: EnqueueReaction = (tx, ctx, { row, change }) => {
  enqueue(tx, ctx, sendReaction, {
    args: { messageId: row.id, change },
    serialKey: sendKey(row.contactId),
    gateKey: row.accountId,
  })
}
