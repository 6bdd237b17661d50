import { Type } from '@sinclair/typebox'

import { defineJob } from '../../../infra/jobs/define'
import { markOnPlatform } from './send-read-receipt'

/** Tells the customer that its messages up to this one were read. */
export const sendReadReceipt = defineJob({
  name: 'message.read-receipt',
  lane: 'default',
  args: Type.Object({ messageId: Type.String(), untilMs: Type.Integer() }),
  maxAttempts: 3,
  run: (ctx, { messageId, untilMs }) =>
    markOnPlatform(ctx, { messageId, isTyping: false, untilMs }),
})

/** Shows the customer that somebody writes an answer; tried once. */
export const showTyping = defineJob({
  name: 'message.typing',
  lane: 'default',
  args: Type.Object({ messageId: Type.String(), untilMs: Type.Integer() }),
  maxAttempts: 1,
  run: (ctx, { messageId, untilMs }) => markOnPlatform(ctx, { messageId, isTyping: true, untilMs }),
})
