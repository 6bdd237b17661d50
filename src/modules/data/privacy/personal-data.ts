import { and, asc, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { isoTime } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Declared } from '../../../infra/db/define-table'
import { readEvent } from '../../../infra/outbox/events'
import { events } from '../../../infra/outbox/table'
import { contactConsents } from '../../inbox/contacts/consent/table'
import { contactIdentities, contacts, contactTags } from '../../inbox/contacts/table'
import { conversations } from '../../inbox/conversations/table'
import { importRows } from '../imports/table'
import { tags } from '../../inbox/tags/table'
import { archiveJson, archiveObject, archiveRow, type Facts } from './archive-row'

/** Number of rows read in one step. */
const STEP = 25

type Readable = SQLiteTable & Declared & { organizationId: SQLiteColumn }

/** Yields the facts of the rows of a table that `isTheirs` selects, in insertion order. */
export function* factsOf(ctx: Ctx, table: Readable, isTheirs: SQL): Generator<Facts[]> {
  for (const rows of rowsOf(ctx, table, isTheirs))
    yield rows.map((row) => archiveRow<Readable>(table, row))
}

/** Yields the rows of a table that `isTheirs` selects, in batches and in insertion order. */
export function* rowsOf<T extends Readable>(
  ctx: Ctx,
  table: T,
  isTheirs: SQL,
): Generator<T['$inferSelect'][]> {
  const ids = ctx.db.orm
    .select({ rowid: sql<number>`rowid` })
    .from(table as Readable)
    .where(inOrganization(ctx, table, isTheirs))
    .all()
    .map(({ rowid }) => rowid)
    .toSorted((a, b) => a - b)
  for (let from = 0; from < ids.length; from += STEP) {
    const these = JSON.stringify(ids.slice(from, from + STEP))
    yield ctx.db.orm
      .select()
      .from(table as Readable)
      .where(inOrganization(ctx, table, sql`rowid in (select value from json_each(${these}))`))
      .all() as T['$inferSelect'][]
  }
}

/**
 * Returns the identifying values of a person's rows. The columns are those of the contact; those of
 * contacts that were merged into it, which a person can undo, are beside them.
 */
export function contactFacts(ctx: Ctx, [contactId = '', ...mergedIds]: string[]): Facts {
  const ids = [contactId, ...mergedIds]
  const rows = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .all()
  const own = rows.find(({ id }) => id === contactId)
  return {
    ...(own ? archiveRow(contacts, own) : {}),
    identities: identitiesOf(ctx, ids),
    consents: [...factsOf(ctx, contactConsents, inArray(contactConsents.contactId, ids))].flat(),
    tags: tagNames(ctx, ids),
    merged: rows.filter((row) => row !== own).map((row) => archiveRow(contacts, row)),
  }
}

/** Returns the numbers and user IDs of a person, oldest first: some dozens at most. */
const identitiesOf = (ctx: Ctx, ids: string[]): Facts[] =>
  ctx.db.orm
    .select()
    .from(contactIdentities)
    .where(inOrganization(ctx, contactIdentities, inArray(contactIdentities.contactId, ids)))
    .orderBy(contactIdentities.firstSeenAtMs, contactIdentities.kind, contactIdentities.value)
    .all()
    .map((row) => archiveRow(contactIdentities, row))

const tagNames = (ctx: Ctx, ids: string[]): string[] =>
  ctx.db.orm
    .selectDistinct({ name: tags.name })
    .from(contactTags)
    .innerJoin(
      tags,
      and(eq(tags.organizationId, contactTags.organizationId), eq(tags.id, contactTags.tagId)),
    )
    .where(inOrganization(ctx, contactTags, inArray(contactTags.contactId, ids)))
    .all()
    .map(({ name }) => name)

/** Returns a contact's conversations, at most one per phone number of the organization. */
export const conversationFacts = (ctx: Ctx, contactId: string): Facts[] =>
  ctx.db.orm
    .select()
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .all()
    .map((row) => ({
      ...archiveRow(conversations, row),
      first_referral: archiveJson(row.firstReferral),
      last_referral: archiveJson(row.lastReferral),
    }))

/** Number of import report rows checked in one step. */
const LOOKED_AT = 250

/** Yields the import report rows about a person. */
export function* importFacts(ctx: Ctx, ids: string[]): Generator<Facts[]> {
  for (let after = { importId: '', row: 0 }; ;) {
    const rows = ctx.db.orm
      .select()
      .from(importRows)
      .where(
        inOrganization(
          ctx,
          importRows,
          sql`(${importRows.importId}, ${importRows.row}) > (${sql.param(after.importId, importRows.importId)}, ${after.row})`,
        ),
      )
      .orderBy(asc(importRows.importId), asc(importRows.row))
      .limit(LOOKED_AT)
      .all()
    yield rows
      .filter(({ targetId }) => targetId !== null && ids.includes(targetId))
      .map((row) => archiveRow(importRows, row))
    const last = rows.at(-1)
    if (rows.length < LOOKED_AT || !last) return
    after = last
  }
}

/** Yields the logged events of a contact, oldest first. */
export function* eventFacts(ctx: Ctx, contactId: string): Generator<Facts[]> {
  for (let after = 0; ;) {
    const rows = ctx.db.orm
      .select()
      .from(events)
      .where(
        inOrganization(
          ctx,
          events,
          and(eq(events.contactId, contactId), gt(events.position, after)),
        ),
      )
      .orderBy(asc(events.position))
      .limit(LOOKED_AT)
      .all()
    yield rows.map(readEvent).map(({ type, payload, atMs }) => ({
      at: isoTime(atMs),
      type,
      payload: archiveObject(payload as Facts),
    }))
    if (rows.length < LOOKED_AT) return
    after = rows.at(-1)?.position ?? after
  }
}
