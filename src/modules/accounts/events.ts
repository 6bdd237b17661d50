import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A number was connected or changed. `changed` names the fields. `isConnected` is true if more
 * webhooks may be routed to the number now.
 */
export const AccountChanged = defineEvent(
  'account.changed',
  Type.Object({
    accountId: Type.String(),
    changed: Type.Array(Type.String()),
    isConnected: Type.Boolean(),
  }),
)
