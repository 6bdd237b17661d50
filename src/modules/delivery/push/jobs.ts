import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Finds the people to notify of a customer's message, some at a time. */
export const FindPushes = job(
  'push.find',
  Type.Object({ contactId: Type.String(), accountId: Type.String(), after: Type.String() }),
  { queue: 'default', priority: 'low', maxAttempts: 3 },
)

/** Notifies one browser of a message in a conversation. */
export const SendPush = job(
  'push.send',
  Type.Object({ subscriptionId: Type.String(), conversationId: Type.String() }),
  { queue: 'webhooks', priority: 'low', maxAttempts: 3 },
)
