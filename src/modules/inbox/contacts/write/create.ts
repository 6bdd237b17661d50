import { eq } from 'drizzle-orm'

import { ForbiddenError } from '../../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { userIdOf } from '../../../../platform/webhook/sender'
import { accounts } from '../../../channel/accounts/table'
import { recordPersonalDataChange } from '../../../organization/audit/record'
import { findActiveMember } from '../../../organization/memberships/find'
import { appendConsentIn } from '../consent/ledger'
import { ContactCreated } from '../events'
import { addIdentityIn, holdersOf, identitiesOf, type SenderIds } from '../identities/identities'
import { indexContactIn, sortNameOf } from '../search/index-contact'
import type { ContactView, NewContact } from '../model'
import { countryOfSender } from '../identities/phone-numbers'
import { changeContactIn, findContact } from '../service'
import { contacts } from '../table'
import type { ContactRow } from '../view'
import { seesAll } from '../sight/visibility'
import { invalid, phoneOf, type Fields, contactExists, fieldsOf } from './fields'
import { retagIn } from './update'
import { viewOf } from '../load-views'

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
    recordPersonalDataChange(tx, ctx, {
      action: 'created',
      resourceType: 'contact',
      resourceId: row.id,
    })
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
