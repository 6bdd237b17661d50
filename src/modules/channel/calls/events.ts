import { Type } from '@sinclair/typebox'

import { defineHook } from '../../../infra/transaction-hooks'
import { defineEvent } from '../../../infra/outbox/events'

const payload = Type.Object({
  callId: Type.String(),
  contactId: Type.String(),
  /** Names of the changed fields. */
  changed: Type.Array(Type.String()),
  /** Set when a delivery is reprocessed much later: nothing reacts to it. */
  isLate: Type.Optional(Type.Boolean()),
})

/**
 * A call became known. All events of calls are shown on sockets as `call:updated`; this one, the
 * end and the miss have names of their own so that outbound webhooks can subscribe to them.
 */
export const CallReceived = defineEvent('call.received', payload)

/** A call changed without ending: it was accepted or rejected, or a file of it arrived. */
export const CallUpdated = defineEvent('call.updated', payload)

/** A call ended that was answered, rejected or failed. */
export const CallEnded = defineEvent('call.ended', payload)

/** A call ended that nobody answered. */
export const CallMissed = defineEvent('call.missed', payload)

/**
 * A customer answered a request for the permission to call. Outbound webhooks can subscribe to it;
 * sockets show the answer itself, which is a message.
 */
export const CallPermissionChanged = defineEvent(
  'call.permission_changed',
  Type.Object({
    contactId: Type.String(),
    accountId: Type.String(),
    state: Type.Union([
      Type.Literal('temporary'),
      Type.Literal('permanent'),
      Type.Literal('denied'),
    ]),
    expiresAtMs: Type.Union([Type.Integer(), Type.Null()]),
    /** Set when a delivery is reprocessed much later: nothing reacts to it. */
    isLate: Type.Optional(Type.Boolean()),
  }),
)

/** A customer's call opened the 24-hour window. */
export const WindowOpenedByCall = defineHook<{ contactId: string; accountId: string }>(
  'call.window_opened',
)
