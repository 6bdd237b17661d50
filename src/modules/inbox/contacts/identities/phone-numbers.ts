import { and, eq } from 'drizzle-orm'

import { countryOf, numberVariants } from '../../../../lib/phone'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import {
  addIdentityIn,
  removeIdentitiesIn,
  expireNumbersIn,
  restoreNumberIn,
  type SenderIds,
} from './identities'
import { contactIdentities } from '../table'
import type { ContactRow } from '../view'

/** Returns the country of the number, else the country prefix of the user ID. */
export const countryOfSender = (sender: SenderIds): string | null =>
  (sender.phone === null ? null : countryOf(sender.phone)) ??
  (sender.userId ?? sender.parentUserId)?.slice(0, 2) ??
  null

/**
 * Gives a contact a phone number and takes it from any other contact. Its former numbers identify
 * it for 30 more days. Runs inside the caller's transaction. Returns the columns to update.
 */
export function setNumberIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  phone: string,
): Partial<ContactRow> {
  const spellings = numberVariants(phone)
  const own = numbersOf(ctx, before.id)
  removeIdentitiesIn(
    tx,
    ctx,
    'phone',
    spellings.filter((spelling) => !own.includes(spelling)),
  )
  expireNumbersIn(tx, ctx, before.id, spellings)
  addIdentityIn(tx, ctx, before.id, { kind: 'phone', value: phone, accountId: null })
  for (const spelling of spellings) restoreNumberIn(tx, ctx, before.id, spelling)
  const isSamePerson = before.waId !== null && spellings.includes(before.waId)
  return {
    phoneNumber: phone,
    waId: isSamePerson ? before.waId : null,
    country: countryOfSender({ ...before, phone }),
  }
}

/**
 * Marks a number as a former number of the contact, which identifies it for 30 more days. Runs
 * inside the caller's transaction.
 */
export function expireNumberIn(tx: Tx, ctx: Ctx, contactId: string, phone: string): void {
  const spellings = numberVariants(phone)
  expireNumbersIn(
    tx,
    ctx,
    contactId,
    numbersOf(ctx, contactId).filter((value) => !spellings.includes(value)),
  )
}

/**
 * Takes the number from a contact who has left it for one that is not known. It identifies the contact
 * for 30 more days. Runs inside the caller's transaction. Returns the columns to update.
 */
export function leaveNumberIn(tx: Tx, ctx: Ctx, before: ContactRow): Partial<ContactRow> {
  expireNumbersIn(tx, ctx, before.id, [])
  const { userId, parentUserId } = before
  const country = countryOfSender({ phone: null, userId, parentUserId })
  return { phoneNumber: null, waId: null, country }
}

/** Returns every number that identifies a contact, including recent former ones. */
export const numbersOf = (ctx: Ctx, contactId: string): string[] =>
  ctx.db.orm
    .select({ value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(eq(contactIdentities.contactId, contactId), eq(contactIdentities.kind, 'phone')),
      ),
    )
    .all()
    .map(({ value }) => value)
