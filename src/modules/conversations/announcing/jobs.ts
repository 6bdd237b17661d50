import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../../infra/jobs/define'
import { publishHeldBackIn } from '../publish-throttled'

/**
 * Announces what was held back of a conversation. On a lane whose jobs only touch the database:
 * nothing slow stands before it.
 */
export const announceHeldBack = defineTransactionJob({
  name: 'conversation.announce',
  lane: 'inbound-status',
  args: Type.Object({ conversationId: Type.String() }),
  isKept: false,
  run: (tx, ctx, { conversationId }) => publishHeldBackIn(tx, ctx, conversationId),
})
