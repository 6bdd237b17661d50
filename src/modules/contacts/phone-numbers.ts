import { and, eq } from 'drizzle-orm'

import { countryOf, numberVariants } from '../../lib/phone'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import {
  addIdentityIn,
  freeIdentitiesIn,
  giveUpNumbersIn,
  keepNumberIn,
  type SenderIds,
} from './identities'
import { contactIdentities } from './table'
import type { ContactRow } from './view'

/** The number's country, else the one a user id begins with. */
export const countryOfSender = (sender: SenderIds): string | null =>
  (sender.phone === null ? null : countryOf(sender.phone)) ??
  (sender.userId ?? sender.parentUserId)?.slice(0, 2) ??
  null

/**
 * Gives a contact a number, whoever went by it before, in the caller's transaction: its former
 * numbers still find it for thirty days. Returns the columns that follow.
 */
export function takeNumberIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  phone: string,
): Partial<ContactRow> {
  const spellings = numberVariants(phone)
  const own = numbersOf(ctx, before.id)
  freeIdentitiesIn(
    tx,
    ctx,
    'phone',
    spellings.filter((spelling) => !own.includes(spelling)),
  )
  giveUpNumbersIn(tx, ctx, before.id, spellings)
  addIdentityIn(tx, ctx, before.id, { kind: 'phone', value: phone, accountId: null })
  for (const spelling of spellings) keepNumberIn(tx, ctx, before.id, spelling)
  const isSamePerson = before.waId !== null && spellings.includes(before.waId)
  return {
    phoneNumber: phone,
    waId: isSamePerson ? before.waId : null,
    country: countryOfSender({ ...before, phone }),
  }
}

/**
 * Lets a number a contact turns out to have had before name it for thirty days more only, in the
 * caller's transaction.
 */
export function expireNumberIn(tx: Tx, ctx: Ctx, contactId: string, phone: string): void {
  const spellings = numberVariants(phone)
  giveUpNumbersIn(
    tx,
    ctx,
    contactId,
    numbersOf(ctx, contactId).filter((value) => !spellings.includes(value)),
  )
}

/** Every number that names a contact, also those it has given up lately. */
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
