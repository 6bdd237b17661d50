import { and, desc, eq, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, NotFoundError } from '../../../../lib/errors'
import { numberVariants, parsePhone, type CountryCode } from '../../../../lib/phone'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { userIdOf } from '../../../../platform/webhook/sender'
import { recordPersonalDataChange } from '../../../organization/audit/record'
import { getOrganization } from '../../../organization/organizations/service'
import { contactIdentities, contacts } from '../table'
import type { ContactRow } from '../view'
import { getVisibleContact, isVisibleRow } from '../sight/visibility'
import { findOrCreateSenderIn } from './sender'

/** The recipient of a message: exactly one of the three fields is set. */
export interface RecipientInput {
  contactId?: string | undefined
  /** As the user typed it. */
  phoneNumber?: string | undefined
  userId?: string | undefined
}

/** Address of a recipient that is not given as a contact: E.164 digits or a user ID. */
export type RecipientAddress = { kind: 'phone' | 'user_id'; value: string }

const refused = (field: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(field, message), {
    code: 'invalid_input',
    errors: [{ path: `body.${field}`, message }],
  })

/**
 * Returns the recipient's address, or `null` if the recipient is a contact. Throws InvalidError
 * unless exactly one of the three fields is set and valid.
 */
export function addressOf(ctx: Ctx, recipient: RecipientInput): RecipientAddress | null {
  const given = [recipient.contactId, recipient.phoneNumber, recipient.userId].filter(
    (value) => value !== undefined,
  )
  if (given.length !== 1)
    throw refused('contact_id', 'or phone_number or user_id is required, but only one of them')
  if (recipient.phoneNumber !== undefined) {
    const country = getOrganization(ctx).defaultCountry
    // validated when the setting was saved
    const digits = parsePhone(
      recipient.phoneNumber,
      (country ?? undefined) as CountryCode | undefined,
    )
    if (digits === null) throw refused('phone_number', 'is not a phone number')
    return { kind: 'phone', value: digits }
  }
  if (recipient.userId === undefined) return null
  const userId = userIdOf(recipient.userId)
  if (userId === null) throw refused('user_id', 'is not a user ID of the platform')
  return { kind: 'user_id', value: userId }
}

/**
 * Finds the contact of a recipient, or returns `null` if no contact has the address. Also finds a
 * deleted contact by its address, because sending restores it. Throws NotFoundError for an unknown
 * or invisible contact, and the errors of {@link addressOf}.
 */
export function findContactForSending(ctx: Ctx, recipient: RecipientInput): ContactRow | null {
  const address = addressOf(ctx, recipient)
  if (address === null) return getVisibleContact(ctx, recipient.contactId ?? '')
  const values = address.kind === 'phone' ? numberVariants(address.value) : [address.value]
  const kinds: ('phone' | 'user_id' | 'parent_user_id')[] =
    address.kind === 'phone' ? ['phone'] : ['user_id', 'parent_user_id']
  const known = ctx.db.orm
    .select({ contactId: contactIdentities.contactId })
    .from(contactIdentities)
    .where(
      inOrganization(
        ctx,
        contactIdentities,
        and(inArray(contactIdentities.kind, kinds), inArray(contactIdentities.value, values)),
      ),
    )
    // prefer the spelling of the request
    .orderBy(desc(eq(contactIdentities.value, address.value)), contactIdentities.contactId)
    .get()
  if (!known) return null
  const row = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, and(eq(contacts.id, known.contactId), isVisibleRow(ctx))))
    .get()
  if (!row) throw new NotFoundError('Contact')
  return row
}

/**
 * Returns the contact of a recipient, creating or restoring it if necessary. Runs inside the
 * transaction that stores the message. Throws the errors of {@link findContactForSending}.
 */
export function findOrCreateRecipientIn(
  tx: Tx,
  ctx: Ctx,
  recipient: RecipientInput,
  accountId: string,
): ContactRow {
  const found = findContactForSending(ctx, recipient)
  const address = addressOf(ctx, recipient)
  if (address === null || (found && found.deletedAtMs === null))
    return found ?? getVisibleContact(ctx, recipient.contactId ?? '')
  const ids = {
    phone: address.kind === 'phone' ? address.value : null,
    userId: address.kind === 'user_id' ? address.value : null,
    parentUserId: null,
    profileName: null,
    username: null,
  }
  // older than all data of the platform, which therefore wins
  const row = findOrCreateSenderIn(tx, ctx, ids, { accountId, source: 'api', atMs: -1 })
  recordPersonalDataChange(tx, ctx, {
    action: 'created',
    resourceType: 'contact',
    resourceId: row.id,
  })
  return row
}
