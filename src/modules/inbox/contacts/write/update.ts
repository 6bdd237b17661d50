import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../../organization/audit/record'
import { tagIdsIn } from '../../tags/service'
import { ContactChanged } from '../events'
import { removeIdentitiesIn, holdersOf } from '../identities/identities'
import { indexContactIn } from '../search/index-contact'
import {
  MAX_TAGS,
  type ContactChanges,
  type ContactView,
  type NewTags,
  type TagsOfContact,
} from '../model'
import { countryOfSender, numbersOf, setNumberIn } from '../identities/phone-numbers'
import { changeContactIn, findContact } from '../service'
import { addTagsIn, newTagsWithinLimit, removeTagsIn, setTagsIn, tagsOf } from '../tags'
import type { ContactRow } from '../view'
import { fieldNames } from '../field-names'
import { getVisibleContact } from '../sight/visibility'
import { invalid, phoneOf, contactExists, fieldsOf } from './fields'
import { viewOf } from '../load-views'

const TAG_PATHS = { names: 'body.tags', ids: 'body.tag_ids' }

/**
 * Updates the fields that were sent. A new phone number replaces the old one, which keeps
 * identifying the contact for 30 days. Throws NotFoundError, InvalidError and ConflictError
 * `contact_exists`.
 */
export function updateContact(ctx: Ctx, id: string, changes: ContactChanges): ContactView {
  return transact(ctx.db, (tx) =>
    viewOf(ctx, changeFieldsIn(tx, ctx, getVisibleContact(ctx, id), changes)),
  )
}

/**
 * Updates the given fields of a contact and publishes them, in the caller's transaction. Returns the
 * new row. Throws as {@link updateContact}.
 */
export function changeFieldsIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  changes: ContactChanges,
): ContactRow {
  const fields = {
    ...fieldsOf(ctx, before, changes),
    ...phoneChangeIn(tx, ctx, before, changes.phone_number),
  }
  const changed = Object.keys(fields).filter(
    (field) => fields[field as keyof typeof fields] !== before[field as keyof ContactRow],
  )
  const isRetagged =
    changes.tags !== undefined || changes.tag_ids !== undefined
      ? retagIn(tx, ctx, before.id, changes)
      : false
  const row =
    changed.length === 0
      ? before
      : indexContactIn(tx, ctx, changeContactIn(tx, ctx, before.id, fields))
  publishChangeIn(tx, ctx, before.id, [...fieldNames(changed), ...(isRetagged ? ['tags'] : [])])
  return row
}

/** Publishes and audits the changed fields; does nothing if there are none. */
function publishChangeIn(tx: Tx, ctx: Ctx, contactId: string, changed: string[]): void {
  if (changed.length === 0) return
  emit(tx, ctx, ContactChanged, { contactId, payload: { contactId, changed, lostBy: [] } })
  recordPersonalDataChange(tx, ctx, {
    action: 'updated',
    resourceType: 'contact',
    resourceId: contactId,
    fields: changed,
  })
}

/**
 * Replaces or removes the contact's phone number. Runs inside the caller's transaction. Returns the
 * columns to update. Throws InvalidError and ConflictError.
 */
function phoneChangeIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  text: string | null | undefined,
): Partial<ContactRow> {
  if (text === undefined) return {}
  if (text === null) {
    if (before.phoneNumber === null) return {}
    if (before.userId === null && before.parentUserId === null)
      throw invalid(
        'body.phone_number',
        "cannot be removed because it is the contact's only identifier",
      )
    removeIdentitiesIn(tx, ctx, 'phone', numbersOf(ctx, before.id))
    return { phoneNumber: null, waId: null, country: countryOfSender({ ...before, phone: null }) }
  }
  const phone = phoneOf(ctx, text)
  if (phone === before.phoneNumber) return {}
  const holders = holdersOf(ctx, { phone, userId: null, parentUserId: null }).filter(
    (id) => id !== before.id,
  )
  const active = holders.find((id) => findContact(ctx, id)?.deletedAtMs === null)
  if (active !== undefined) throw contactExists(ctx, active)
  return setNumberIn(tx, ctx, before, phone)
}

/**
 * Sets the tags given by name and by ID. Throws InvalidError for more tags than a contact may have.
 */
export function retagIn(tx: Tx, ctx: Ctx, contactId: string, requested: NewTags): boolean {
  const ids = tagIdsIn(tx, ctx, { names: requested.tags, ids: requested.tag_ids }, TAG_PATHS)
  if (ids.length > MAX_TAGS)
    throw invalid('body.tags', `must not have more than ${MAX_TAGS} tags together with tag_ids`)
  return setTagsIn(tx, ctx, contactId, ids)
}

/** Adds and removes single tags, so that of two people who do it at once neither loses a tag. */
function changeTagsIn(tx: Tx, ctx: Ctx, contactId: string, requested: NewTags): boolean {
  const { add_tag_ids: added = [], remove_tag_ids: removed = [] } = requested
  if (requested.tags !== undefined || requested.tag_ids !== undefined)
    throw invalid('body', 'must not replace all tags and change single ones')
  const paths = { ...TAG_PATHS, ids: 'body.add_tag_ids' }
  const ids = tagIdsIn(tx, ctx, { ids: added }, paths)
  const gone = removeTagsIn(tx, ctx, contactId, removed)
  const { fresh, fits } = newTagsWithinLimit(ctx, contactId, ids)
  if (!fits) throw invalid('body.add_tag_ids', `must not make more than ${MAX_TAGS} tags`)
  return addTagsIn(tx, ctx, contactId, fresh) + gone > 0
}

/**
 * Replaces the tags of a contact, or adds and removes single ones. Throws NotFoundError, and
 * InvalidError `unknown_tag` with every unknown tag.
 */
export function setTags(ctx: Ctx, contactId: string, requested: NewTags): TagsOfContact {
  const changeIn = (requested.add_tag_ids ?? requested.remove_tag_ids) ? changeTagsIn : retagIn
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    if (changeIn(tx, ctx, contactId, requested)) {
      changeContactIn(tx, ctx, contactId, {})
      publishChangeIn(tx, ctx, contactId, ['tags'])
    }
    return { id: contactId, tags: tagsOf(ctx, [contactId]).get(contactId) ?? [] }
  })
}
