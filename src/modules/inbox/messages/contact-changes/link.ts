import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { ContactChanged, ContactCreated } from '../../contacts/events'
import { addIdentityIn, holdersOf, type SenderIds } from '../../contacts/identities/identities'
import { indexContactIn } from '../../contacts/search/index-contact'
import { leaveNumberIn, setNumberIn } from '../../contacts/identities/phone-numbers'
import { changeContactIn, findContact } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { fieldNames } from '../../contacts/field-names'
import { mergeContactsIn } from './merge'
import { findOrCreateSenderIn, type Sender } from '../../contacts/identities/sender'
import { oldestFirst } from '../../contacts/merge/merges'

/**
 * Finds or creates the sender's contact. If its IDs belong to several contacts, they are merged
 * into the oldest; the merge can be undone.
 */
export function linkedContactOfSenderIn(
  tx: Tx,
  ctx: Ctx,
  sender: Sender,
  at: { accountId: string; source: ContactRow['source']; atMs: number },
): ContactRow {
  return findOrCreateSenderIn(tx, ctx, sender, { ...at, holderId: linkIn(tx, ctx, sender) })
}

/**
 * Merges the contacts with these IDs into the oldest, in the caller's transaction; deleted ones are
 * restored. Returns its ID, or `null` if no contact has them.
 */
function linkIn(tx: Tx, ctx: Ctx, ids: SenderIds): string | null {
  const holders = holdersOf(ctx, ids)
  if (holders.length < 2) return holders[0] ?? null
  const [targetId, ...others] = oldestFirst(ctx, holders)
  if (targetId === undefined) return null
  const deleted = [targetId, ...others].filter((id) => findContact(ctx, id)?.deletedAtMs !== null)
  for (const id of deleted) changeContactIn(tx, ctx, id, { deletedAtMs: null })
  for (const sourceId of others) mergeContactsIn(tx, ctx, { targetId, sourceId, isOnePerson: true })
  if (deleted.includes(targetId))
    emit(tx, ctx, ContactCreated, { contactId: targetId, payload: { contactId: targetId } })
  return targetId
}

/**
 * Changes a contact's phone number and publishes the change, in the caller's transaction. The
 * previous number still finds the contact for 30 days. A contact that already has the new number is
 * merged.
 */
export function changePhoneNumberIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  phone: string,
): ContactRow | null {
  const row = mergeHoldersIn(tx, ctx, contactId, { phone, userId: null, parentUserId: null })
  if (!row) return null
  return updateContactIn(tx, ctx, row, { ...setNumberIn(tx, ctx, row, phone), waId: phone })
}

/**
 * Takes the number from a contact who has left it for one that is not known, and publishes the change,
 * in the caller's transaction. Messages go to the user ID from then on.
 */
export const leavePhoneNumberIn = (tx: Tx, ctx: Ctx, contact: ContactRow): ContactRow =>
  contact.phoneNumber === null && contact.waId === null
    ? contact
    : updateContactIn(tx, ctx, contact, leaveNumberIn(tx, ctx, contact))

/** The user IDs of a person. */
type UserIds = Pick<SenderIds, 'userId' | 'parentUserId'>

/**
 * Replaces the user IDs of a contact if it still has the previous ones, in the caller's transaction.
 * Otherwise only adds the new ones as identities, so that repeated and late updates change nothing.
 * A previous ID of `null` stands for one that the contact never had: an update was missed. Returns
 * the contact and whether the IDs were replaced.
 */
export function replaceUserIdsIn(
  tx: Tx,
  ctx: Ctx,
  contact: ContactRow,
  ids: UserIds & { previous: UserIds; accountId: string },
): { contact: ContactRow; isReplaced: boolean } {
  const { previous, ...added } = ids
  // A contact that has left the new ID behind already knows a later one.
  const later = holdersOf(ctx, { phone: null, ...added })
    .filter((id) => id !== contact.id)
    .map((id) => findContact(ctx, id))
    .find((row) => row?.deletedAtMs === null)
  const shown = (name: keyof UserIds): string | null =>
    contact[name] === null || previous[name] === null || contact[name] === previous[name]
      ? (later?.[name] ?? added[name])
      : contact[name]
  const now = { userId: shown('userId'), parentUserId: shown('parentUserId') }
  const changed = changeUserIdIn(tx, ctx, contact.id, added, now) ?? contact
  return { contact: changed, isReplaced: !later && now.userId !== contact.userId }
}

/**
 * Adds a new user ID to a contact and publishes the change, in the caller's transaction. The
 * previous ID stays. `shown` are the IDs that the contact shows and is written to, by default the
 * new ones.
 */
function changeUserIdIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  ids: UserIds & { accountId: string },
  shown: UserIds = ids,
): ContactRow | null {
  const row = mergeHoldersIn(tx, ctx, contactId, {
    phone: null,
    userId: ids.userId,
    parentUserId: ids.parentUserId,
  })
  if (!row) return null
  const { accountId } = ids
  if (ids.userId !== null)
    addIdentityIn(tx, ctx, row.id, { kind: 'user_id', value: ids.userId, accountId })
  if (ids.parentUserId !== null)
    addIdentityIn(tx, ctx, row.id, { kind: 'parent_user_id', value: ids.parentUserId, accountId })
  return updateContactIn(tx, ctx, row, {
    userId: shown.userId ?? row.userId,
    parentUserId: shown.parentUserId ?? row.parentUserId,
  })
}

/** Merges contacts that already have these IDs with the contact. The older one stays. */
function mergeHoldersIn(tx: Tx, ctx: Ctx, contactId: string, ids: SenderIds): ContactRow | null {
  const others = holdersOf(ctx, ids).filter(
    (id) => id !== contactId && findContact(ctx, id)?.deletedAtMs === null,
  )
  const [targetId = contactId, ...rest] = oldestFirst(ctx, [contactId, ...others])
  for (const sourceId of rest) mergeContactsIn(tx, ctx, { targetId, sourceId, isOnePerson: true })
  return findContact(ctx, targetId)
}

function updateContactIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  fields: Partial<ContactRow>,
): ContactRow {
  const changed = Object.keys(fields).filter(
    (field) => fields[field as keyof ContactRow] !== before[field as keyof ContactRow],
  )
  if (changed.length === 0) return before
  const row = indexContactIn(tx, ctx, changeContactIn(tx, ctx, before.id, fields))
  emit(tx, ctx, ContactChanged, {
    contactId: row.id,
    payload: { contactId: row.id, changed: fieldNames(changed), lostBy: [] },
  })
  return row
}
