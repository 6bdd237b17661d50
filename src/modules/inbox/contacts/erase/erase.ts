import { eq, or } from 'drizzle-orm'

import { numberVariants } from '../../../../lib/phone'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { emptied } from '../../../../infra/db/define-table'
import type { Tx } from '../../../../infra/db/transact'
import { holdersOf, identitiesOf, type Identity, type SenderIds } from '../identities/identities'
import { unindexContactIn } from '../search/index-contact'
import { findContact } from '../service'
import { contactIdentities, contactMerges, contacts, contactsApart, contactTags } from '../table'
import type { ContactRow } from '../view'
import { contactConsents } from '../consent/table'

const NOBODY: SenderIds = { phone: null, userId: null, parentUserId: null }

const holderOf = (ctx: Ctx, { kind, value }: Identity): string | null => {
  const field = ({ phone: 'phone', user_id: 'userId', parent_user_id: 'parentUserId' } as const)[
    kind
  ]
  return holdersOf(ctx, { ...NOBODY, [field]: value })[0] ?? null
}

/**
 * Returns every spelling of the numbers and user IDs that identify this contact and no other,
 * including those of contacts merged into it. Call it before erasing the contact.
 */
function ownIdentities(ctx: Ctx, row: ContactRow): string[] {
  const ids: SenderIds[] = [
    { phone: row.phoneNumber, userId: row.userId, parentUserId: row.parentUserId },
    { phone: row.waId, userId: null, parentUserId: null },
    ...ctx.db.orm
      .select({ kind: contactIdentities.kind, value: contactIdentities.value })
      .from(contactIdentities)
      .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, row.id)))
      .all()
      .map(({ kind, value }) => ({
        phone: kind === 'phone' ? value : null,
        userId: kind === 'user_id' ? value : null,
        parentUserId: kind === 'parent_user_id' ? value : null,
      })),
  ]
  const own = ids.flatMap((each) => identitiesOf(each))
  return own
    .filter((identity) => holderOf(ctx, identity) === null || holderOf(ctx, identity) === row.id)
    .flatMap(({ kind, value }) => (kind === 'phone' ? numberVariants(value) : [value]))
}

/**
 * Returns every spelling of the numbers and user IDs that identify this contact and no other,
 * including those of contacts merged into it.
 */
export function identitiesOfPerson(ctx: Ctx, contactId: string): string[] {
  const ids = [contactId]
  const names = new Set<string>()
  for (const id of ids) {
    const row = findContact(ctx, id)
    for (const name of row ? ownIdentities(ctx, row) : []) names.add(name)
    ids.push(...mergedContacts(ctx, id))
  }
  return [...names]
}

/** Returns the IDs of a contact and of all contacts merged into it. */
export function idsOfPerson(ctx: Ctx, contactId: string): string[] {
  const ids = [contactId]
  for (const id of ids) ids.push(...mergedContacts(ctx, id))
  return ids
}

/** Returns the IDs of the contacts merged into this one. */
const mergedContacts = (ctx: Ctx, contactId: string): string[] =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.mergedInto, contactId)))
    .all()
    .map(({ id }) => id)

/**
 * Erases a person's names, numbers, IDs, tags and consents, including those of merged contacts.
 * Runs inside the transaction that erases the contact. An empty row stays for the rows that refer
 * to it. Returns the numbers and IDs that no contact has any more.
 */
export function eraseContactRowIn(tx: Tx, ctx: Ctx, contactId: string): string[] {
  const ids = [contactId]
  const names = new Set<string>()
  for (const id of ids) {
    const row = findContact(ctx, id)
    for (const name of row ? ownIdentities(ctx, row) : []) names.add(name)
    ids.push(...mergedContacts(ctx, id))
    tx.update(contacts)
      .set({ ...emptied(contacts), deletedAtMs: ctx.clock.nowMs(), updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, contacts, eq(contacts.id, id)))
      .run()
    for (const table of [contactIdentities, contactTags, contactConsents])
      tx.delete(table)
        .where(inOrganization(ctx, table, eq(table.contactId, id)))
        .run()
    tx.delete(contactMerges)
      .where(
        inOrganization(
          ctx,
          contactMerges,
          or(eq(contactMerges.targetId, id), eq(contactMerges.sourceId, id)),
        ),
      )
      .run()
    tx.delete(contactsApart)
      .where(
        inOrganization(
          ctx,
          contactsApart,
          or(eq(contactsApart.contactId, id), eq(contactsApart.otherId, id)),
        ),
      )
      .run()
    unindexContactIn(tx, ctx, id)
  }
  return [...names]
}
