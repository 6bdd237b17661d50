import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'
import { defineHook } from '../../../infra/transaction-hooks'
import type { TransferRow } from './rules'

/** Who had a transfer: an agent, or the queue of a team or, with `null`, the general queue. */
const placement = Type.Object({
  agentId: Type.Union([Type.String(), Type.Null()]),
  teamId: Type.Union([Type.String(), Type.Null()]),
})

const payload = Type.Object({
  transferId: Type.String(),
  contactId: Type.String(),
  changed: Type.Array(Type.String()),
  reason: Type.Union([
    Type.Literal('created'),
    Type.Literal('picked_up'),
    Type.Literal('assigned'),
    Type.Literal('returned'),
    Type.Literal('resumed'),
    Type.Literal('expired'),
    Type.Literal('escalated'),
    Type.Literal('sla_breached'),
    Type.Literal('edited'),
  ]),
  /** Where it was before the change; absent for a new one. */
  before: Type.Optional(placement),
})

/** A contact was transferred to a person or a queue. */
export const TransferCreated = defineEvent('transfer.created', payload)

/** A person picked up a transfer, or was given it. */
const TransferAssigned = defineEvent('transfer.assigned', payload)

/** A transfer returned to a queue, or moved to another one. */
const TransferReturned = defineEvent('transfer.returned', payload)

/** A transfer ended: its person is done, and the bot answers again. */
const TransferResumed = defineEvent('transfer.resumed', payload)

/** A transfer ended because the customer was silent. */
const TransferExpired = defineEvent('transfer.expired', payload)

/** A transfer missed a deadline of the SLA for the first time. */
const TransferBreached = defineEvent('transfer.sla_breached', payload)

/** A transfer without a response was escalated. */
const TransferEscalated = defineEvent('transfer.escalated', payload)

/** Notes or priority of a transfer changed. */
export const TransferEdited = defineEvent('transfer.edited', payload)

/** The event of each kind of change. */
export const EVENT_OF = {
  created: TransferCreated,
  picked_up: TransferAssigned,
  assigned: TransferAssigned,
  returned: TransferReturned,
  resumed: TransferResumed,
  expired: TransferExpired,
  escalated: TransferEscalated,
  sla_breached: TransferBreached,
  edited: TransferEdited,
} as const

/** All events about transfers. */
export const TRANSFER_EVENTS = [...new Set(Object.values(EVENT_OF))]

/**
 * A transfer began to keep the bot silent: it was created, or a person got a conversation that
 * waited. The session of the bot with its contact ends in the same transaction.
 */
export const TransferStarted = defineHook<{ transfer: TransferRow }>('transfer.started')

export const TransferEnded = defineHook<{ transfer: TransferRow }>('transfer.ended')
