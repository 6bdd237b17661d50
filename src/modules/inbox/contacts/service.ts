import { eq, inArray } from 'drizzle-orm'

import { compiledUpdate } from '../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { ContactChanged } from './events'
import { contacts } from './table'
import type { ContactRow } from './view'
import { viewersOf } from './sight/visibility'

const byId = compiled((orm) =>
  orm
    .select()
    .from(contacts)
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'id'))))
    .prepare(),
)

/** Returns the contact, or `null`. Does not check visibility. */
export const findContact = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ContactRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

const changeContact = compiledUpdate(
  contacts,
  inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'id'))),
)

/**
 * Updates columns of a contact without publishing an event. Runs inside the caller's transaction.
 */
export function changeContactIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Partial<ContactRow>,
): ContactRow {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const key = { organizationId: ctx.organizationId, id }
  changeContact(ctx.db, key, { ...set, updatedAtMs: ctx.clock.nowMs() })
  return byId(ctx.db).get(key) as ContactRow // whose caller holds it
}

/**
 * Sets back the times of a contact, in the transaction that stored or removed a part of its past: that
 * is no change, and it began before.
 */
export function restoreTimesIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  times: Partial<Pick<ContactRow, 'createdAtMs' | 'firstSeenAtMs' | 'updatedAtMs'>>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  changeContact(ctx.db, { organizationId: ctx.organizationId, id }, times)
}

/**
 * Assigns a contact to a member, a team or nobody and publishes the change, also to users who can no
 * longer see the contact (`seenBefore`). Runs inside the caller's transaction.
 */
export function assignContactIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  assignment: Partial<Pick<ContactRow, 'assignedTo' | 'assignedTeamId'>>,
  seenBefore: string[],
): ContactRow {
  const row = changeContactIn(tx, ctx, contactId, assignment)
  const seenAfter = viewersOf(ctx, contactId)
  const lostBy = seenBefore.filter((id) => !seenAfter.includes(id))
  emit(tx, ctx, ContactChanged, {
    contactId,
    payload: {
      contactId,
      changed: [
        ...('assignedTo' in assignment ? ['assigned_to'] : []),
        ...('assignedTeamId' in assignment ? ['assigned_team_id'] : []),
      ],
      lostBy,
    },
  })
  return row
}

/**
 * Unassigns all contacts of a member and publishes each change, in the transaction that ends the
 * membership. Returns the number of active contacts.
 */
export function unassignContactsIn(tx: Tx, ctx: Ctx, userId: string): number {
  const unassigned = tx
    .update(contacts)
    .set({ assignedTo: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, contacts, eq(contacts.assignedTo, userId)))
    .returning({ id: contacts.id, deletedAtMs: contacts.deletedAtMs })
    .all()
    .filter(({ deletedAtMs }) => deletedAtMs === null)
  // The member has left all teams too, and sees none of the contacts any more.
  for (const { id } of unassigned)
    emit(tx, ctx, ContactChanged, {
      contactId: id,
      payload: { contactId: id, changed: ['assigned_to'], lostBy: [userId] },
    })
  return unassigned.length
}

/**
 * Removes a deleted team from up to `limit` of its contacts, without an event for each. Runs inside
 * the caller's transaction. Returns the number of contacts.
 */
export function clearTeamOfContactsIn(tx: Tx, ctx: Ctx, teamId: string, limit: number): string[] {
  const ids = tx
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.assignedTeamId, teamId)))
    .limit(limit)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.update(contacts)
      .set({ assignedTeamId: null, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
      .run()
  return ids
}
