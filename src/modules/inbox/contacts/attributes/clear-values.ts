import { and, asc, gt, inArray, isNotNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { contacts } from '../table'

/** Contacts cleared in one transaction. */
const CLEARED_AT_ONCE = 500

/** Returns the SQL expression of a custom field's value in the contact's row. */
export const valueAt = (key: string) => sql`json_extract(${contacts.attributes}, ${`$.${key}`})`

/**
 * Removes the values of a deleted field from up to 500 contacts after `after`. Runs inside the
 * caller's transaction. Returns the ID to continue after, or `null` at the end.
 */
export function clearValuesIn(
  tx: Tx,
  ctx: Ctx,
  what: { key: string; after: string },
): string | null {
  const held = and(
    sql`${contacts.attributes} <> '{}'`,
    isNotNull(valueAt(what.key)),
    gt(contacts.id, what.after),
  )
  const ids = tx
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, held))
    .orderBy(asc(contacts.id))
    .limit(CLEARED_AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.update(contacts)
      .set({ attributes: sql`json_remove(${contacts.attributes}, ${`$.${what.key}`})` })
      .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
      .run()
  return ids.length === CLEARED_AT_ONCE ? (ids.at(-1) ?? null) : null
}
