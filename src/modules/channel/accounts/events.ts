import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'
import { defineHook } from '../../../infra/transaction-hooks'

/**
 * A number was connected or changed. `changed` names the fields. `isConnected` is true if more
 * webhooks may be routed to the number now; if it stopped working for a move, since `stoppedAtMs`.
 */
export const AccountChanged = defineEvent(
  'account.changed',
  Type.Object({
    accountId: Type.String(),
    changed: Type.Array(Type.String()),
    isConnected: Type.Boolean(),
    stoppedAtMs: Type.Optional(Type.Union([Type.Integer(), Type.Undefined()])),
  }),
)

/** Triggered in the transaction that disconnects a number, so that what belongs to it goes with it. */
export const AccountDisconnected = defineHook<{ accountId: string }>('accounts.disconnected')

/**
 * Triggered in the transaction that lets a number work in this cell, because its organization moved here
 * or stays.
 */
export const AccountArrived = defineHook<{ accountId: string }>('accounts.arrived')
