import { sql } from 'drizzle-orm'

import { numberVariants } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { ContactUndo, ImportedContact } from '../imports/imported-contact'
import { addFirstConsentIn } from '../consent/ledger'
import { addIdentityIn, identitiesOf, type SenderIds } from '../identities/identities'
import { indexNewContactsIn, sortNameOf } from '../search/index-contact'
import { countryOfSender } from '../identities/phone-numbers'
import { plainFields, type PlainColumn } from '../plain-fields'
import { contacts } from '../table'
import { addFirstTagsIn } from '../tags'

const insertContact = compiled((orm) =>
  orm
    .insert(contacts)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      ...Object.fromEntries(plainFields.map(({ column }) => [column, sql.placeholder(column)])),
      phoneNumber: sql.placeholder('phoneNumber'),
      userId: sql.placeholder('userId'),
      parentUserId: sql.placeholder('parentUserId'),
      country: sql.placeholder('country'),
      sortName: sql.placeholder('sortName'),
      attributes: sql.placeholder('attributes'),
      marketingConsent: sql.placeholder('marketingConsent'),
      accountId: sql.placeholder('accountId'),
      assignedTo: sql.placeholder('assignedTo'),
      source: sql.placeholder('source'),
      firstSeenAtMs: sql.placeholder('nowMs'),
      createdAtMs: sql.placeholder('nowMs'),
      updatedAtMs: sql.placeholder('nowMs'),
    })
    .prepare(),
)

/** Source of the new contacts, and their account. */
interface Origin {
  accountId: string | null
  source: 'import' | 'campaign'
}

/** A contact waiting to be inserted. */
interface PendingContact {
  id: string
  imported: ImportedContact
  consentId: string | null
}

/**
 * Collects new contacts of a file or campaign and inserts them together, which is faster than one
 * by one. The caller must call `writeIn` in the transaction in which it adds contacts.
 */
export class NewContacts {
  private waiting: PendingContact[] = []
  /** All IDs and number spellings of the collected contacts. */
  private readonly ids = new Set<string>()

  constructor(
    private readonly ctx: Ctx,
    private readonly origin: Origin,
  ) {}

  /** Adds a contact. Returns its ID and the data to undo it. */
  add(imported: ImportedContact): { id: string; undo: ContactUndo } {
    const { ctx } = this
    const id = ctx.ids.next()
    const consentId = imported.consent === undefined ? null : ctx.ids.next()
    this.waiting.push({ id, imported, consentId })
    for (const spelling of spellingsOf(imported.ids)) this.ids.add(spelling)
    const { tagIds } = imported
    const hung = { tags: tagIds.toSorted(), addedTags: tagIds, consent: consentId }
    return {
      id,
      undo: { isNew: true, fields: {}, identities: [], atMs: ctx.clock.nowMs(), ...hung },
    }
  }

  /** Reports whether a collected contact has one of these IDs, in any spelling of the number. */
  goBy(ids: SenderIds): boolean {
    return this.ids.size > 0 && spellingsOf(ids).some((spelling) => this.ids.has(spelling))
  }

  /**
   * Inserts the collected contacts without publishing events. Runs inside the caller's transaction.
   */
  writeIn(tx: Tx): void {
    const { ctx, waiting } = this
    if (waiting.length === 0) return
    for (const newcomer of waiting) this.writeOneIn(tx, newcomer)
    indexNewContactsIn(
      tx,
      ctx,
      waiting.map(({ id, imported }) => ({
        id,
        ...textsOf(imported),
        phoneNumber: imported.ids.phone,
      })),
    )
    this.waiting = []
    this.ids.clear()
  }

  private writeOneIn(tx: Tx, { id, imported, consentId }: PendingContact): void {
    const { ctx, origin } = this
    const { ids, consent } = imported
    const named = {
      name: imported.texts.name ?? null,
      profileName: null,
      username: null,
      waId: null,
      phoneNumber: ids.phone,
      userId: ids.userId,
    }
    insertContact(ctx.db).run({
      organizationId: ctx.organizationId,
      id,
      ...textsOf(imported),
      phoneNumber: ids.phone,
      userId: ids.userId,
      parentUserId: ids.parentUserId,
      country: countryOfSender(ids),
      sortName: sortNameOf(named),
      attributes: JSON.stringify(imported.attributes),
      marketingConsent: consent ?? 'unknown',
      accountId: origin.accountId,
      assignedTo: imported.assignedTo ?? null,
      source: origin.source,
      nowMs: ctx.clock.nowMs(),
    })
    for (const identity of identitiesOf(ids))
      addIdentityIn(tx, ctx, id, { ...identity, accountId: null })
    addFirstTagsIn(tx, ctx, id, imported.tagIds)
    if (consent !== undefined && consentId !== null)
      addFirstConsentIn(tx, ctx, consentId, { contactId: id, state: consent, source: 'import' })
  }
}

const textsOf = ({ texts }: ImportedContact) =>
  Object.fromEntries(plainFields.map(({ column }) => [column, texts[column] ?? null])) as Record<
    PlainColumn,
    string | null
  > // plainFields has every column

const spellingsOf = (ids: SenderIds): string[] =>
  identitiesOf(ids).flatMap(({ kind, value }) =>
    (kind === 'phone' ? numberVariants(value) : [value]).map((spelling) => `${kind} ${spelling}`),
  )

/**
 * Inserts one contact whose IDs no other contact has, without publishing an event. Runs inside the
 * caller's transaction. Returns its ID.
 */
export function createContactsIn(
  tx: Tx,
  ctx: Ctx,
  imported: ImportedContact,
  origin: Origin,
): string {
  const collected = new NewContacts(ctx, origin)
  const { id } = collected.add(imported)
  collected.writeIn(tx)
  return id
}
