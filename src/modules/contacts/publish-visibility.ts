import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { ContactChanged } from './events'
import { assigneesOf } from './visibility'

/**
 * Announces a contact to those who see it newly or no longer, because one of its conversations has
 * changed hands, in the transaction of that change. `seenBefore` are the users who saw it by an
 * assignment until then. Nothing when they are the same.
 */
export function publishVisibilityChangeIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  seenBefore: string[],
): void {
  const seenAfter = assigneesOf(ctx, contactId)
  const lostBy = seenBefore.filter((id) => !seenAfter.includes(id))
  if (lostBy.length === 0 && seenAfter.every((id) => seenBefore.includes(id))) return
  emit(tx, ctx, ContactChanged, { contactId, payload: { contactId, changed: [], lostBy } })
}
