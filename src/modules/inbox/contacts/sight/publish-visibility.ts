import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { ContactChanged } from '../events'
import { viewersOf } from './visibility'

/**
 * Publishes a contact change to the users who gain or lose sight of the contact because one of its
 * conversations was reassigned. Runs inside the transaction of the assignment. `seenBefore` holds
 * the users assigned until then. Publishes nothing if the users are the same.
 */
export function publishVisibilityChangeIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  seenBefore: string[],
): void {
  const seenAfter = viewersOf(ctx, contactId)
  const lostBy = seenBefore.filter((id) => !seenAfter.includes(id))
  if (lostBy.length === 0 && seenAfter.every((id) => seenBefore.includes(id))) return
  emit(tx, ctx, ContactChanged, { contactId, payload: { contactId, changed: [], lostBy } })
}
