import { defineHook } from '../../infra/transaction-hooks'

/**
 * A member accepts no work from now on: away, suspended, disabled or removed. Handlers add to
 * `transfersReturned` how many transfers they returned to a queue.
 */
export const MemberUnavailable = defineHook<{ userId: string; transfersReturned: number }>(
  'member.unavailable',
)

/** A membership ended. Its contacts and conversations are unassigned by then. */
export const MembershipEnded = defineHook<{ userId: string }>('membership.ended')

/** A member accepts work again: back, or no longer suspended or disabled. */
export const MemberAvailable = defineHook<{ userId: string }>('member.available')
