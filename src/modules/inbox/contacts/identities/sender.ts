import { sql } from 'drizzle-orm'

import { numberVariants } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { ContactChanged, ContactCreated } from '../events'
import {
  holdersOf,
  identitiesOf,
  isFormerNumber,
  addIdentityIn,
  type SenderIds,
} from './identities'
import { indexContactIn, sortNameOf } from '../search/index-contact'
import { countryOfSender, expireNumberIn, setNumberIn } from './phone-numbers'
import { contacts } from '../table'
import type { ContactRow } from '../view'
import { fieldNames } from '../field-names'
import { findContact, changeContactIn } from '../service'

/** The sender of a message as the platform reports it. At least one of the three IDs is set. */
export interface Sender extends SenderIds {
  profileName: string | null
  username: string | null
}

const insertContact = compiled((orm) =>
  orm
    .insert(contacts)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      profileName: sql.placeholder('profileName'),
      username: sql.placeholder('username'),
      phoneNumber: sql.placeholder('phoneNumber'),
      waId: sql.placeholder('waId'),
      userId: sql.placeholder('userId'),
      parentUserId: sql.placeholder('parentUserId'),
      country: sql.placeholder('country'),
      sortName: sql.placeholder('sortName'),
      accountId: sql.placeholder('accountId'),
      source: sql.placeholder('source'),
      firstSeenAtMs: sql.placeholder('nowMs'),
      createdAtMs: sql.placeholder('nowMs'),
      updatedAtMs: sql.placeholder('nowMs'),
    })
    .returning()
    .prepare(),
)

/**
 * Finds the sender's contact by user ID, parent user ID or phone number, or creates it. Restores a
 * deleted contact. Adds new IDs and names and publishes the change. Data of a message older than
 * the newest one (`atMs`, epoch milliseconds) only fills gaps, so the order of arrival does not
 * matter. `holderId` passes the result of an earlier lookup (`null`: no contact). Runs inside the
 * caller's transaction.
 */
export function findOrCreateSenderIn(
  tx: Tx,
  ctx: Ctx,
  sender: Sender,
  at: { accountId: string; source: ContactRow['source']; atMs: number; holderId?: string | null },
): ContactRow {
  const found = findSender(ctx, sender, at.holderId)
  const isNewest = at.atMs >= (found?.lastInboundAtMs ?? 0)
  if (found)
    return refreshIn(tx, ctx, found, sender, {
      accountId: at.accountId,
      isNewest,
      isSeen: at.atMs >= 0,
    })
  const { profileName, username, userId, parentUserId, phone } = sender
  // only the platform knows a number's canonical form
  const named = {
    name: null,
    profileName,
    username,
    userId,
    parentUserId,
    phoneNumber: phone,
    waId: at.source === 'api' ? null : phone,
  }
  const created = insertContact(ctx.db).get({
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    ...named,
    sortName: sortNameOf(named),
    country: countryOfSender(sender),
    ...at,
    nowMs: ctx.clock.nowMs(),
  })
  for (const identity of identitiesOf(sender))
    addIdentityIn(tx, ctx, created.id, { ...identity, accountId: at.accountId })
  indexContactIn(tx, ctx, created)
  emit(tx, ctx, ContactCreated, { contactId: created.id, payload: { contactId: created.id } })
  return created
}

/** Finds the contact by the first known ID, unless an earlier lookup already found it. */
function findSender(ctx: Ctx, sender: Sender, known: string | null | undefined): ContactRow | null {
  const holderId = known === undefined ? (holdersOf(ctx, sender)[0] ?? null) : known
  return holderId === null ? null : findContact(ctx, holderId)
}

/** Origin of the data that refreshes a contact. */
interface RefreshedAt {
  accountId: string
  isNewest: boolean
  /** Whether the customer wrote from this number itself, at a known time. */
  isSeen?: boolean
}

/**
 * Updates a known contact with new data of the platform. Writes and publishes only real changes.
 */
function refreshIn(tx: Tx, ctx: Ctx, row: ContactRow, sender: Sender, at: RefreshedAt): ContactRow {
  const isChange = (reported: string | null, known: string | null): boolean =>
    reported !== null && reported !== known && (at.isNewest || known === null)
  const isSeenNow = at.isSeen === true && at.isNewest
  // What is older than the change of number, or only repeats the number, does not bring it back.
  const hasLeft =
    sender.phone !== null &&
    row.phoneNumber === null &&
    !isSeenNow &&
    isFormerNumber(ctx, row.id, sender.phone)
  const phone = hasLeft ? null : sender.phone
  const changes = {
    ...(isChange(sender.profileName, row.profileName) ? { profileName: sender.profileName } : {}),
    ...(isChange(sender.username, row.username) ? { username: sender.username } : {}),
    ...(phone !== null && row.phoneNumber === null ? { phoneNumber: phone } : {}),
    ...(isChange(phone, row.waId) ? { waId: phone } : {}),
    ...(isChange(sender.userId, row.userId) ? { userId: sender.userId } : {}),
    ...(isChange(sender.parentUserId, row.parentUserId)
      ? { parentUserId: sender.parentUserId }
      : {}),
    ...(row.deletedAtMs !== null ? { deletedAtMs: null } : {}),
  }
  const identities = Object.keys(changes).length === 0 && at.isNewest ? [] : identitiesOf(sender)
  for (const identity of identities)
    addIdentityIn(tx, ctx, row.id, { ...identity, accountId: at.accountId })
  const number = at.isSeen === true ? changeNumberIn(tx, ctx, row, sender, at.isNewest) : {}
  const spelling =
    at.isSeen === true && changes.waId !== undefined ? latestSpelling(row, changes.waId) : {}
  const set: Partial<ContactRow> = { ...number, ...spelling, ...changes }
  const changedFields = Object.keys(set).filter(
    (field) => set[field as keyof ContactRow] !== row[field as keyof ContactRow],
  )
  if (changedFields.length === 0)
    return identities.length === 0 ? row : indexContactIn(tx, ctx, row)
  const changed = indexContactIn(tx, ctx, changeContactIn(tx, ctx, row.id, set))
  if (row.deletedAtMs !== null)
    emit(tx, ctx, ContactCreated, { contactId: row.id, payload: { contactId: row.id } })
  else
    emit(tx, ctx, ContactChanged, {
      contactId: row.id,
      payload: { contactId: row.id, changed: fieldNames(changedFields), lostBy: [] },
    })
  return changed
}

/**
 * Handles a contact, known by its user ID, that writes from another number than before, or from one
 * for the first time. The number used last
 * becomes the contact's; the former one identifies it for 30 more days. Returns the columns to
 * update.
 */
function changeNumberIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  sender: Sender,
  isNewest: boolean,
): Partial<ContactRow> {
  const { phone } = sender
  if (phone === null || phone === row.phoneNumber) return {}
  if (
    (sender.userId ?? sender.parentUserId) === null ||
    (row.phoneNumber !== null && numberVariants(row.phoneNumber).includes(phone))
  )
    return {}
  if (isNewest) return setNumberIn(tx, ctx, row, phone)
  if (row.phoneNumber === null) return {}
  expireNumberIn(tx, ctx, row.id, phone)
  return {}
}

/**
 * Keeps the platform's latest spelling of a number that only the platform reported, whatever the
 * order of arrival. Never changes a number that a user entered.
 */
function latestSpelling(
  { source, phoneNumber, waId }: ContactRow,
  phone: string | null,
): Partial<ContactRow> {
  const isFromPlatform =
    (source === 'inbound' || source === 'phone_app') && phoneNumber !== null && phoneNumber === waId
  return isFromPlatform && phone !== null && numberVariants(phoneNumber).includes(phone)
    ? { phoneNumber: phone }
    : {}
}

/** Stores the canonical IDs under which the platform reached a contact. */
export function recordPlatformIdsIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  address: { waId: string | null; userId: string | null; accountId: string },
): void {
  const row = findContact(ctx, contactId)
  if (!row) return
  const sender: Sender = {
    phone: address.waId,
    userId: address.userId,
    parentUserId: null,
    profileName: null,
    username: null,
  }
  if (address.waId !== null || address.userId !== null)
    refreshIn(tx, ctx, row, sender, { accountId: address.accountId, isNewest: true })
}
