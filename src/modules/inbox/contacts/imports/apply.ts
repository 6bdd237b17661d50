import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { conversations } from '../../conversations/table'
import { notes } from '../notes/table'
import { WRITTEN, type ImportedContact, type ContactUndo, type Written } from './imported-contact'
import { appendConsentIn, withdrawConsentIn } from '../consent/ledger'
import {
  addIdentityIn,
  removeIdentitiesIn,
  identitiesOf,
  type Identity,
  type SenderIds,
} from '../identities/identities'
import { indexContactIn, sortNameOf } from '../search/index-contact'
import { countryOfSender } from '../identities/phone-numbers'
import { findContact } from '../service'
import { contactIdentities, contacts, contactTags } from '../table'
import { addTagsIn, removeTagsIn } from '../tags'
import type { ContactRow } from '../view'

const rewriteContact = compiled((orm) => {
  const set = Object.fromEntries(WRITTEN.map((column) => [column, sql.placeholder(column)]))
  return orm
    .update(contacts)
    .set({
      ...set,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'id'))))
    .returning()
    .prepare()
})

/**
 * Updates columns and the search index of a contact. Its change time becomes `atMs`. Runs inside
 * the caller's transaction.
 */
function rewriteIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  set: Written,
  atMs = ctx.clock.nowMs(),
): ContactRow {
  const current = Object.fromEntries(WRITTEN.map((column) => [column, before[column]]))
  const after = { ...before, ...set }
  const at = { organizationId: ctx.organizationId, id: before.id, nowMs: atMs }
  return indexContactIn(
    tx,
    ctx,
    rewriteContact(ctx.db).get({
      ...current,
      sortName: sortNameOf(after),
      ...set,
      ...at,
    }),
  )
}

const knownKinds = compiled((orm) =>
  orm
    .select({ kind: contactIdentities.kind })
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        eq(contactIdentities.contactId, place(contactIdentities.contactId, 'contactId')),
      ),
    )
    .prepare(),
)

const carriedTags = compiled((orm) =>
  orm
    .select({ tagId: contactTags.tagId })
    .from(contactTags)
    .where(
      inOrganization(
        anyScope,
        contactTags,
        eq(contactTags.contactId, place(contactTags.contactId, 'contactId')),
      ),
    )
    .orderBy(contactTags.tagId)
    .prepare(),
)

const tagIdsOf = (ctx: Ctx, contactId: string): string[] =>
  carriedTags(ctx.db)
    .all({ organizationId: ctx.organizationId, contactId })
    .map(({ tagId }) => tagId)

/** Adds the tags and consent of an imported row, and records them for the undo. */
function addTagsAndConsentIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  currentTags: string[],
  { tagIds, consent }: ImportedContact,
): Pick<ContactUndo, 'atMs' | 'tags' | 'addedTags' | 'consent'> {
  addTagsIn(tx, ctx, row.id, tagIds)
  const isNews = consent !== undefined && consent !== row.marketingConsent
  const entry = isNews
    ? appendConsentIn(tx, ctx, {
        contactId: row.id,
        state: consent,
        source: 'import',
        isQuiet: true,
      })
    : null
  return {
    atMs: ctx.clock.nowMs(),
    tags: [...new Set([...currentTags, ...tagIds])].toSorted(),
    addedTags: tagIds.filter((id) => !currentTags.includes(id)),
    consent: entry?.id ?? null,
  }
}

/**
 * Updates a contact, or restores a deleted one, from an imported row, without publishing an event:
 * names and values are replaced, IDs only fill gaps, tags are added. Returns the data to undo it,
 * or `null` if nothing changed. Runs inside the caller's transaction.
 */
export function updateImportedContactIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  imported: ImportedContact,
): ContactUndo | null {
  const identities = newIdentities(ctx, before.id, imported.ids)
  const set = {
    ...fieldsOf(before, imported),
    ...(before.deletedAtMs === null ? {} : { deletedAtMs: null }),
  }
  const columns = Object.keys(set).filter(
    (column) => set[column as keyof typeof set] !== before[column as keyof ContactRow],
  )
  const fields: Written = Object.fromEntries(
    columns.map((column) => [column, before[column as keyof ContactRow]]),
  )
  const currentTags = tagIdsOf(ctx, before.id)
  const isRetagged = imported.tagIds.some((id) => !currentTags.includes(id))
  const isConsent = imported.consent !== undefined && imported.consent !== before.marketingConsent
  if (columns.length === 0 && identities.length === 0 && !isRetagged && !isConsent) return null
  for (const identity of identities)
    addIdentityIn(tx, ctx, before.id, { ...identity, accountId: null })
  const row = rewriteIn(tx, ctx, before, set)
  const added = addTagsAndConsentIn(tx, ctx, row, currentTags, imported)
  return { ...added, formerAtMs: before.updatedAtMs, isNew: false, fields, identities }
}

/** Returns the columns that the imported row sets. */
function fieldsOf(
  before: ContactRow,
  { ids, texts, assignedTo, attributes }: ImportedContact,
): Written {
  const current = JSON.parse(before.attributes) as Record<string, unknown>
  const filled: SenderIds = {
    phone: before.phoneNumber ?? ids.phone,
    userId: before.userId ?? ids.userId,
    parentUserId: before.parentUserId ?? ids.parentUserId,
  }
  return {
    ...texts,
    ...(assignedTo === undefined ? {} : { assignedTo }),
    ...(Object.keys(attributes).length === 0
      ? {}
      : { attributes: JSON.stringify({ ...current, ...attributes }) }),
    phoneNumber: filled.phone,
    userId: filled.userId,
    parentUserId: filled.parentUserId,
    country: before.country ?? countryOfSender(filled),
  }
}

/** Returns the imported IDs that the contact does not have yet and that fill a gap. */
export function newIdentities(ctx: Ctx, contactId: string, ids: SenderIds): Identity[] {
  const known = knownKinds(ctx.db).all({ organizationId: ctx.organizationId, contactId })
  return identitiesOf(ids).filter(({ kind }) => !known.some((one) => one.kind === kind))
}

/**
 * Undoes the import of a contact, without publishing an event: deletes a new one, and restores the
 * former values and change time of any other, so that earlier imports can be undone too. Returns
 * the row before the undo, or `null` without any effect if the contact was changed or used since.
 * Runs inside the caller's transaction.
 */
export function revertImportIn(tx: Tx, ctx: Ctx, id: string, undo: ContactUndo): ContactRow | null {
  const row = findContact(ctx, id)
  if (!row || row.deletedAtMs !== null || row.updatedAtMs !== undo.atMs) return null
  if (tagIdsOf(ctx, id).join() !== undo.tags.join() || (undo.isNew && isUsed(tx, ctx, id)))
    return null
  removeTagsIn(tx, ctx, id, undo.addedTags)
  if (undo.consent !== null) withdrawConsentIn(tx, ctx, { contactId: id, entryId: undo.consent })
  for (const { kind, value } of undo.identities) removeIdentitiesIn(tx, ctx, kind, [value])
  if (undo.isNew) rewriteIn(tx, ctx, row, { deletedAtMs: ctx.clock.nowMs() })
  else rewriteIn(tx, ctx, row, undo.fields, undo.formerAtMs)
  return row
}

/** Reports whether other rows depend on an imported contact. */
function isUsed(tx: Tx, ctx: Ctx, contactId: string): boolean {
  const of = (table: typeof conversations | typeof notes) =>
    tx
      .select({ id: table.id })
      .from(table)
      .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
      .limit(1)
      .get() !== undefined
  return of(conversations) || of(notes)
}
