import { eq } from 'drizzle-orm'

import { fieldSentence, ConflictError, ForbiddenError, InvalidError } from '../../lib/errors'
import { freeObjectProblems } from '../../lib/free-object'
import { parsePhone, type CountryCode } from '../../lib/phone'
import { throwProblems } from '../../lib/input-problems'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { userIdOf } from '../../platform/webhook/sender'
import { accounts } from '../accounts/table'
import { recordUnnamed } from '../audit/record'
import { findAccount } from '../accounts/queries'
import { findActiveMember } from '../memberships/service'
import { getOrganization } from '../organizations/service'
import { tagIdsIn } from '../tags/service'
import { checkAttributes } from './attributes/values'
import { appendConsentIn } from './consent/ledger'
import { ContactChanged, ContactCreated } from './events'
import {
  addIdentityIn,
  removeIdentitiesIn,
  holdersOf,
  identitiesOf,
  type SenderIds,
} from './identities'
import { indexContactIn, sortNameOf } from './search/index-contact'
import {
  METADATA_LIMITS,
  MAX_TAGS,
  type ContactChanges,
  type ContactView,
  type NewContact,
  type NewTags,
  type TagsOfContact,
} from './model'
import { contactViews } from './queries'
import { countryOfSender, numbersOf, setNumberIn } from './phone-numbers'
import { changeContactIn, findContact } from './service'
import { contacts } from './table'
import { setTagsIn, tagsOf } from './tags'
import type { ContactRow } from './view'
import { fieldNames } from './field-names'
import { getVisibleContact, isVisible, masksNumbers, seesAll } from './visibility'

const TAG_PATHS = { names: 'body.tags', ids: 'body.tag_ids' }

const invalid = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), { code, errors: [{ path, message }] })

/**
 * Parses a phone number in any format into E.164 digits. A number without a country code belongs to
 * the organization's country. Throws InvalidError.
 */
function phoneOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  text: string,
  path = 'body.phone_number',
): string {
  const country = getOrganization(ctx).defaultCountry
  // validated when the setting was saved
  const digits = parsePhone(text, country === null ? undefined : (country as CountryCode))
  if (digits === null) throw invalid(path, 'is not a phone number of 7 to 15 digits')
  return digits
}

/** Returns the IDs of a new contact. Throws InvalidError if there is none or one is invalid. */
function idsOf(ctx: Ctx, input: NewContact): SenderIds {
  if (input.phone_number === undefined && input.user_id === undefined)
    throw invalid('body.phone_number', 'is required without user_id')
  const userId = input.user_id === undefined ? null : userIdOf(input.user_id.trim())
  if (input.user_id !== undefined && userId === null)
    throw invalid('body.user_id', 'is not a user ID of the platform')
  const isParent = userId?.startsWith('ENT.', 3) ?? false
  return {
    phone: input.phone_number === undefined ? null : phoneOf(ctx, input.phone_number),
    userId: isParent ? null : userId,
    parentUserId: isParent ? userId : null,
  }
}

/**
 * Creates a contact, or restores a deleted one with its history. If the caller cannot see all
 * contacts, the contact is assigned to the caller. Throws InvalidError (also `not_a_member`,
 * `unknown_tag`), ForbiddenError `permission_denied` for assigning somebody else without
 * `transfers:assign`, and ConflictError `contact_exists`.
 */
export function createContact(ctx: Ctx, input: NewContact): ContactView {
  return transact(ctx.db, (tx) => {
    const row = createContactIn(tx, ctx, input, ctx.actor.type === 'api_key' ? 'api' : 'manual')
    emit(tx, ctx, ContactCreated, { contactId: row.id, payload: { contactId: row.id } })
    recordUnnamed(tx, ctx, { action: 'created', resourceType: 'contact', resourceId: row.id })
    return viewOf(ctx, row)
  })
}

/**
 * Creates a contact like {@link createContact}, without publishing it. Runs inside the caller's
 * transaction.
 */
function createContactIn(
  tx: Tx,
  ctx: Ctx,
  input: NewContact,
  source: ContactRow['source'],
): ContactRow {
  const ids = idsOf(ctx, input)
  const fields = fieldsOf(ctx, null, input)
  const assignedTo = assigneeOf(ctx, input.assigned_to)
  const accountId = fields.accountId ?? defaultAccount(ctx)
  const held = holdersOf(ctx, ids).map((id) => findContact(ctx, id))
  const active = held.find((holder) => holder !== null && holder.deletedAtMs === null)
  if (active) throw contactExists(ctx, active.id)
  const deleted = held.find((holder) => holder !== null) ?? null
  const row = deleted
    ? restoreIn(tx, ctx, deleted, ids, {
        ...fields,
        ...(assignedTo === undefined ? {} : { assignedTo }),
      })
    : insertIn(tx, ctx, ids, { ...fields, assignedTo: assignedTo ?? null, accountId, source })
  for (const identity of identitiesOf(ids))
    addIdentityIn(tx, ctx, row.id, { ...identity, accountId: null })
  if (input.tags !== undefined || input.tag_ids !== undefined) retagIn(tx, ctx, row.id, input)
  const consent = input.marketing_consent
  if (consent !== undefined && consent !== 'unknown')
    appendConsentIn(tx, ctx, {
      contactId: row.id,
      state: consent,
      source: ctx.actor.type === 'api_key' ? 'api' : 'agent',
    })
  return indexContactIn(tx, ctx, findContact(ctx, row.id) ?? row)
}

type Fields = Partial<
  Pick<ContactRow, 'name' | 'language' | 'accountId' | 'metadata' | 'attributes'>
>

function insertIn(
  tx: Tx,
  ctx: Ctx,
  ids: SenderIds,
  fields: Fields & Pick<ContactRow, 'assignedTo' | 'source'>,
): ContactRow {
  const nowMs = ctx.clock.nowMs()
  const named = {
    name: fields.name ?? null,
    profileName: null,
    username: null,
    waId: null,
    phoneNumber: ids.phone,
    userId: ids.userId,
  }
  return tx
    .insert(contacts)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      ...fields,
      ...named,
      parentUserId: ids.parentUserId,
      country: countryOfSender(ids),
      sortName: sortNameOf(named),
      firstSeenAtMs: nowMs,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning()
    .get()
}

/**
 * Restores a deleted contact. The fields of the request replace the stored ones; all others are
 * kept.
 */
function restoreIn(
  tx: Tx,
  ctx: Ctx,
  deleted: ContactRow,
  ids: SenderIds,
  fields: Partial<ContactRow>,
): ContactRow {
  return changeContactIn(tx, ctx, deleted.id, {
    ...fields,
    phoneNumber: deleted.phoneNumber ?? ids.phone,
    userId: deleted.userId ?? ids.userId,
    parentUserId: deleted.parentUserId ?? ids.parentUserId,
    deletedAtMs: null,
  })
}

/** Returns the assignee of a new contact, or `undefined` if the request does not set one. */
function assigneeOf(ctx: Ctx, requested: string | null | undefined): string | null | undefined {
  const { userId } = ctx.actor
  if (ctx.actor.type !== 'system' && !seesAll(ctx.actor) && userId !== null) return userId
  if (requested === undefined || requested === null) return requested
  if (!findActiveMember(ctx, requested))
    throw invalid('body.assigned_to', 'is not an active member', 'not_a_member')
  if (requested !== userId && !hasPermission(ctx.actor, 'transfers:assign'))
    throw new ForbiddenError(
      'Assigning a contact to someone else requires the permission `transfers:assign`.',
      { code: 'permission_denied' },
    )
  return requested
}

const defaultAccount = (ctx: Ctx): string | null =>
  ctx.db.orm
    .select({ id: accounts.id, deletedAtMs: accounts.deletedAtMs })
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.isDefaultIncoming, true)))
    .all()
    .find(({ deletedAtMs }) => deletedAtMs === null)?.id ?? null

function contactExists(ctx: Ctx, id: string): ConflictError {
  const details = isVisible(ctx, id) ? { details: { contact_id: id } } : {}
  return new ConflictError('A contact with this `phone_number` or `user_id` already exists.', {
    code: 'contact_exists',
    ...details,
  })
}

/** Converts the fields of a request into columns. Throws InvalidError with every invalid field. */
function fieldsOf(
  ctx: Ctx,
  before: ContactRow | null,
  input: Omit<ContactChanges, 'phone_number'>,
): Fields {
  const metadata = metadataOf(before, input)
  const held = JSON.parse(before?.attributes ?? '{}') as Record<string, unknown>
  const attributes =
    input.attributes === undefined
      ? undefined
      : mergePatch(held, checkAttributes(ctx, input.attributes))
  if (
    input.account_id !== undefined &&
    input.account_id !== null &&
    findAccount(ctx, input.account_id)?.deletedAtMs !== null
  )
    throw invalid('body.account_id', 'is not a connected phone number')
  return {
    ...(input.name === undefined ? {} : { name: input.name?.trim() ?? null }),
    ...(input.language === undefined ? {} : { language: input.language }),
    ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes) }),
  }
}

function metadataOf(
  before: ContactRow | null,
  input: Pick<ContactChanges, 'metadata' | 'metadata_patch'>,
): Record<string, unknown> | undefined {
  if (input.metadata === undefined && input.metadata_patch === undefined) return undefined
  if (input.metadata_patch !== undefined)
    throwProblems(freeObjectProblems(input.metadata_patch, 'body.metadata_patch', METADATA_LIMITS))
  const held =
    input.metadata === undefined
      ? (JSON.parse(before?.metadata ?? '{}') as Record<string, unknown>)
      : (input.metadata ?? {})
  const metadata = mergePatch(held, input.metadata_patch ?? {})
  throwProblems(
    freeObjectProblems(
      metadata,
      input.metadata === undefined ? 'body.metadata_patch' : 'body.metadata',
      METADATA_LIMITS,
    ),
  )
  return metadata
}

/** Merges a patch into an object. `null` removes a key. */
const mergePatch = (
  held: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...held, ...patch }).filter(([key]) => patch[key] !== null))

/**
 * Updates the fields that were sent. A new phone number replaces the old one, which keeps
 * identifying the contact for 30 days. Throws NotFoundError, InvalidError and ConflictError
 * `contact_exists`.
 */
export function updateContact(ctx: Ctx, id: string, changes: ContactChanges): ContactView {
  return transact(ctx.db, (tx) => {
    const before = getVisibleContact(ctx, id)
    const fields = {
      ...fieldsOf(ctx, before, changes),
      ...phoneChangeIn(tx, ctx, before, changes.phone_number),
    }
    const changed = Object.keys(fields).filter(
      (field) => fields[field as keyof typeof fields] !== before[field as keyof ContactRow],
    )
    const isRetagged =
      changes.tags !== undefined || changes.tag_ids !== undefined
        ? retagIn(tx, ctx, id, changes)
        : false
    const row =
      changed.length === 0 ? before : indexContactIn(tx, ctx, changeContactIn(tx, ctx, id, fields))
    publishChangeIn(tx, ctx, id, [...fieldNames(changed), ...(isRetagged ? ['tags'] : [])])
    return viewOf(ctx, row)
  })
}

/** Publishes and audits the changed fields; does nothing if there are none. */
function publishChangeIn(tx: Tx, ctx: Ctx, contactId: string, changed: string[]): void {
  if (changed.length === 0) return
  emit(tx, ctx, ContactChanged, { contactId, payload: { contactId, changed, lostBy: [] } })
  recordUnnamed(tx, ctx, {
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
function retagIn(tx: Tx, ctx: Ctx, contactId: string, requested: NewTags): boolean {
  const ids = tagIdsIn(tx, ctx, { names: requested.tags, ids: requested.tag_ids }, TAG_PATHS)
  if (ids.length > MAX_TAGS)
    throw invalid('body.tags', `must not have more than ${MAX_TAGS} tags together with tag_ids`)
  return setTagsIn(tx, ctx, contactId, ids)
}

/**
 * Replaces the tags of a contact. Throws NotFoundError, and InvalidError `unknown_tag` with every
 * unknown tag.
 */
export function setTags(ctx: Ctx, contactId: string, requested: NewTags): TagsOfContact {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    if (retagIn(tx, ctx, contactId, requested)) {
      changeContactIn(tx, ctx, contactId, {})
      publishChangeIn(tx, ctx, contactId, ['tags'])
    }
    return { id: contactId, tags: tagsOf(ctx, [contactId]).get(contactId) ?? [] }
  })
}

/** Returns the contact as the API shows it to the caller. */
export function viewOf(ctx: Ctx, row: ContactRow): ContactView {
  const [view] = contactViews(ctx, [row], masksNumbers(ctx))
  if (!view) throw new Error(`contact ${row.id} has no view`)
  return view
}
