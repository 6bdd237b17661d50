import { eq, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { forgetWordsIn } from './indexing'
import { contactConsents, contactIdentities, contactMerges, contacts, contactTags } from './table'

/** What a row says of a person, as nothing. */
const NOTHING = {
  name: null,
  profileName: null,
  username: null,
  phoneNumber: null,
  waId: null,
  userId: null,
  parentUserId: null,
  country: null,
  language: null,
  metadata: '{}',
  attributes: '{}',
  sortName: '',
  assignedTo: null,
  lastMessagePreview: null,
  unreadCount: 0,
  marketingConsent: 'unknown',
} as const

/**
 * Wipes what is known of a person, in the transaction that erases a contact: its names, numbers, ids, tags and consents, those of
 * contacts that had become part of it too. An empty row stays, for what still refers to it.
 */
export function wipeContactIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const parts = [contactId]
  for (const id of parts) {
    const swallowed = tx
      .select({ id: contacts.id })
      .from(contacts)
      .where(inOrganization(ctx, contacts, eq(contacts.mergedInto, id)))
      .all()
    parts.push(...swallowed.map((part) => part.id))
    tx.update(contacts)
      .set({ ...NOTHING, deletedAtMs: ctx.clock.nowMs(), updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, contacts, eq(contacts.id, id)))
      .run()
    for (const table of [contactIdentities, contactTags, contactConsents])
      tx.delete(table)
        .where(inOrganization(ctx, table, eq(table.contactId, id)))
        .run()
    tx.delete(contactMerges)
      .where(inOrganization(ctx, contactMerges, or(eq(contactMerges.targetId, id), eq(contactMerges.sourceId, id))))
      .run()
    forgetWordsIn(tx, ctx, id)
  }
}
