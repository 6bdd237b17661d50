import { isName } from '../../../../lib/fields'
import { numberVariants, parsePhone } from '../../../../lib/phone'
import type { Tx } from '../../../../infra/db/transact'
import { attributeReader, type AttributeValue } from '../../../inbox/contacts/attributes/values'
import { isSuppressed } from '../../../inbox/contacts/erase/suppression'
import { holdersOf, type SenderIds } from '../../../inbox/contacts/identities/identities'
import { updateImportedContactIn } from '../../../inbox/contacts/imports/apply'
import type { ContactUndo, ImportedContact } from '../../../inbox/contacts/imports/imported-contact'
import { MAX_TAGS } from '../../../inbox/contacts/model'
import { findContact, restoreTimesIn } from '../../../inbox/contacts/service'
import { newTagsWithinLimit } from '../../../inbox/contacts/tags'
import type { ContactRow } from '../../../inbox/contacts/view'
import { NewContacts } from '../../../inbox/contacts/write/create-many'
import type { ContactEntry } from '../entries'
import type { ThingOutcome } from '../items'
import type { Reason } from '../model'
import { leftOut, type ProductRun } from './run'
import { nameOrNull, tagsNamed } from './texts'

/**
 * Takes a contact: joins it with the one that has its number, of which only gaps are filled, or creates
 * it. A check remembers its number, because a later one may have the same.
 */
export function takeContact(tx: Tx | null, run: ProductRun, entry: ContactEntry): ThingOutcome {
  const { ctx, items } = run
  if (entry.phone === null || entry.phone.trim() === '') return leftOut('no_number')
  const phone = parsePhone(entry.phone, run.country)
  if (phone === null) return leftOut('bad_number')
  const ids: SenderIds = { phone, userId: null, parentUserId: null }
  const holders = holdersOf(ctx, ids)
  if (holders.length > 1) return leftOut('two_contacts')
  const before = holders[0] === undefined ? null : findContact(ctx, holders[0])
  if (before === null && isSuppressed(ctx, ids)) return leftOut('suppressed')
  const isLiving = before !== null && before.deletedAtMs === null
  const { imported, reason } = importedOf(tx, run, entry, { ids, before: isLiving ? before : null })
  if (tx === null) {
    const details = numberVariants(phone).toSorted()[0] ?? phone
    const isSeen = !items.isFirst(details)
    const targetId = isLiving ? before.id : null
    return { outcome: isLiving || isSeen ? 'joined' : 'new', targetId, reason, details }
  }
  if (before !== null) {
    const undo = updateImportedContactIn(tx, ctx, before, imported)
    return { outcome: 'joined', targetId: before.id, reason, details: undo && detailsOf(undo) }
  }
  const newcomers = new NewContacts(ctx, { accountId: null, source: 'import' })
  const { id, undo } = newcomers.add(imported)
  newcomers.writeIn(tx)
  const { createdAtMs } = entry
  const isPast = createdAtMs !== null && createdAtMs > 0 && createdAtMs < undo.atMs
  if (isPast) restoreTimesIn(tx, ctx, id, { createdAtMs, firstSeenAtMs: createdAtMs })
  return { outcome: 'new', targetId: id, reason, details: detailsOf(undo) }
}

/** Only gaps are filled, so what is kept for the undo has no value of a person. */
const detailsOf = (undo: ContactUndo): string => JSON.stringify(undo)

/** Returns what the contact gets, and why something of it is left out. */
function importedOf(
  tx: Tx | null,
  run: ProductRun,
  entry: ContactEntry,
  { ids, before }: { ids: SenderIds; before: ContactRow | null },
): { imported: ImportedContact; reason: Reason | null } {
  const tags = tagsNamed(tx, run, entry.tags)
  const fits =
    before === null
      ? tags.ids.length <= MAX_TAGS
      : newTagsWithinLimit(run.ctx, before.id, tags.ids).fits
  const tagIds = fits || before !== null ? (fits ? tags.ids : []) : tags.ids.slice(0, MAX_TAGS)
  const fields = before === null ? fieldsOf(run, entry) : { attributes: {}, areAll: true }
  const name = nameOf(entry.name)
  const hasName = before !== null && before.name !== null
  return {
    imported: {
      ids,
      texts: name === null || hasName ? {} : { name },
      assignedTo: undefined,
      attributes: fields.attributes,
      tagIds,
      consent: undefined,
    },
    reason: !tags.areAll || !fits ? 'tags_left_out' : fields.areAll ? null : 'fields_left_out',
  }
}

/** Returns a name that is one; many products call a contact by its number. */
function nameOf(written: string | null): string | null {
  const name = nameOrNull(written)
  return name !== null && isName(name, 255) && parsePhone(name) === null ? name : null
}

/** Returns the values for which there are custom fields here. */
function fieldsOf(
  { fields }: ProductRun,
  entry: ContactEntry,
): { attributes: Record<string, AttributeValue>; areAll: boolean } {
  const written = Object.entries(entry.fields).filter(
    ([, value]) => value !== null && value !== '' && typeof value !== 'object',
  )
  const values = written.map(([key, value]) => {
    const definition = fields.get(key)
    return [key, definition && attributeReader(definition)(String(value))] as const
  })
  const known = values.filter((pair): pair is [string, AttributeValue] => pair[1] !== undefined)
  return { attributes: Object.fromEntries(known), areAll: known.length === written.length }
}
