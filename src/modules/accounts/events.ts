import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A number was connected, changed, or its state moved. `changed` names the fields; `isConnected` is
 * true when webhooks may newly route to it.
 */
export const AccountChanged = defineEvent(
  'account.changed',
  Type.Object({
    accountId: Type.String(),
    changed: Type.Array(Type.String()),
    isConnected: Type.Boolean(),
  }),
)
