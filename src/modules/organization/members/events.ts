import { defineHook } from '../../../infra/transaction-hooks'

/**
 * A member accepts no work from now on: away, suspended, disabled or removed. Handlers add to
 * `transfersReturned` how many transfers they returned to a queue.
 */
export const MemberUnavailable = defineHook<{ userId: string; transfersReturned: number }>(
  'member.unavailable',
)

/** A membership ended. Its contacts and conversations are unassigned by then. */
export const MembershipEnded = defineHook<{ userId: string }>('membership.ended')

/**
 * The account of a person is being erased, in the transaction of the erasure. Handlers remove what
 * mentions the e-mail elsewhere, and add to `mentions` how much that was.
 */
export const AccountErased = defineHook<{ email: string; mentions: number }>('account.erased')

/** A member accepts work again: back, or no longer suspended or disabled. */
export const MemberAvailable = defineHook<{ userId: string }>('member.available')
