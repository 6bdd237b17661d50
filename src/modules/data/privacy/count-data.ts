import { count, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { contactIdentities } from '../../inbox/contacts/table'
import type { PrivacyCounts } from './requests'
import { contactConsents } from '../../inbox/contacts/consent/table'

/** Counts the identifying values in a contact's rows. Call it before they are erased. */
export function countOfContact(ctx: Ctx, contactId: string): PrivacyCounts {
  const number = (table: typeof contactIdentities | typeof contactConsents): number =>
    ctx.db.orm
      .select({ rows: count() })
      .from(table)
      .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
      .get()?.rows ?? 0
  return { identities: number(contactIdentities), consents: number(contactConsents) }
}
