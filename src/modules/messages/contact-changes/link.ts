import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { ContactChanged, ContactCreated } from '../../contacts/events'
import { addIdentityIn, holdersOf, type SenderIds } from '../../contacts/identities'
import { indexContactIn } from '../../contacts/search/index-contact'
import { setNumberIn } from '../../contacts/phone-numbers'
import { changeContactIn, findContact } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { fieldNames } from '../../contacts/field-names'
import { mergeContactsIn } from './merge'
import { findOrCreateSenderIn, type Sender } from '../../contacts/sender'
import { oldestFirst } from '../../contacts/merges'

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
  if (!row || (row.phoneNumber === phone && row.waId === phone)) return row
  return updateContactIn(tx, ctx, row, { ...setNumberIn(tx, ctx, row, phone), waId: phone })
}

/**
 * Adds a new user ID to a contact and publishes the change, in the caller's transaction. The
 * previous ID stays.
 */
export function changeUserIdIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  ids: { userId: string | null; parentUserId: string | null; accountId: string },
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
    userId: ids.userId ?? row.userId,
    parentUserId: ids.parentUserId ?? row.parentUserId,
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
