import type { Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import { enqueue } from '../../infra/jobs/enqueue'
import { emit, forgetEventsIn } from '../../infra/outbox/events'
import { recordUnnamed } from '../audit/service'
import { wipeContactIn } from '../contacts/erasing'
import { ContactDeleted, ContactErased } from '../contacts/events'
import { changeContactIn } from '../contacts/service'
import type { ContactRow } from '../contacts/view'
import { assigneesOf, getErasableContact, getVisibleContact } from '../contacts/visibility'
import { eraseContact, forgetFiles } from './jobs'

/**
 * Deletes a contact: it is gone from everywhere and comes back with its history when its number or id does; its files are removed. With
 * `isForGood` its messages, files, notes and ids are erased, in the journal of deliveries too, and who comes back is somebody new; one that was
 * deleted before can still be erased. Throws NotFoundError.
 */
export function deleteContact(ctx: Ctx, id: string, isForGood: boolean): void {
  transact(ctx.db, (tx) => {
    const row = isForGood ? getErasableContact(ctx, id) : getVisibleContact(ctx, id)
    const seenBy = assigneesOf(ctx, id)
    if (isForGood) eraseIn(tx, ctx, row)
    else deleteIn(tx, ctx, row)
    emit(tx, ctx, ContactDeleted, {
      contactId: id,
      payload: { contactId: id, reason: isForGood ? 'erased' : 'deleted', mergedInto: null, seenBy },
    })
    recordUnnamed(tx, ctx, { action: isForGood ? 'erased' : 'deleted', resourceType: 'contact', resourceId: id })
  })
}

/** Deletes a contact without announcing it, in the caller's transaction; what happened with it leaves the log. */
export function deleteIn(tx: Tx, ctx: Ctx, row: ContactRow): void {
  changeContactIn(tx, ctx, row.id, { deletedAtMs: ctx.clock.nowMs() })
  forgetEventsIn(tx, ctx, row.id)
  enqueue(tx, ctx, forgetFiles, { args: { contactId: row.id, after: '' } })
}

function eraseIn(tx: Tx, ctx: Ctx, row: ContactRow): void {
  const names = wipeContactIn(tx, ctx, row.id)
  forgetEventsIn(tx, ctx, row.id)
  const traces = names.flatMap((name) => ctx.vault.marks(name))
  emit(tx, ctx, ContactErased, { contactId: null, payload: { traces, erasedAtMs: ctx.clock.nowMs() } })
  enqueue(tx, ctx, eraseContact, { args: { contactId: row.id } })
}
