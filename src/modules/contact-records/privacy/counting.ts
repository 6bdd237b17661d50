import { and, count, eq, isNotNull, type SQL } from 'drizzle-orm'
import type { SQLiteTable, SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { contactConsents, contactIdentities } from '../../contacts/table'
import { conversations } from '../../conversations/table'
import { messageReactions, messages } from '../../messages/table'
import { notes } from '../../notes/table'

/** How much is kept about a contact, by kind: what a receipt says. */
export function countOfContact(ctx: Ctx, contactId: string): Record<string, number> {
  const number = (table: SQLiteTable & { organizationId: SQLiteColumn; contactId: SQLiteColumn }, more?: SQL): number =>
    ctx.db.orm
      .select({ rows: count() })
      .from(table)
      .where(inOrganization(ctx, table, and(eq(table.contactId, contactId), more)))
      .get()?.rows ?? 0
  return {
    messages: number(messages),
    files: number(messages, isNotNull(messages.mediaId)),
    reactions: number(messageReactions),
    notes: number(notes),
    conversations: number(conversations),
    identities: number(contactIdentities),
    consents: number(contactConsents),
  }
}
