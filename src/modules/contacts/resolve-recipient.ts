import { and, desc, eq, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, NotFoundError } from '../../lib/errors'
import { numberVariants, parsePhone, type CountryCode } from '../../lib/phone'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { userIdOf } from '../../platform/webhook/sender'
import { recordUnnamed } from '../audit/record'
import { getOrganization } from '../organizations/service'
import { contactOfSenderIn } from './service'
import { contactIdentities, contacts } from './table'
import type { ContactRow } from './view'
import { getVisibleContact, visibleTo } from './visibility'

/** Whom a message is for: exactly one of the three. */
export interface RecipientInput {
  contactId?: string | undefined
  /** As a person wrote it. */
  phoneNumber?: string | undefined
  userId?: string | undefined
}

/** The address a message is to go to when no contact is named: E.164 digits or a user id. */
export type RecipientAddress = { kind: 'phone' | 'user_id'; value: string }

const refused = (field: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(field, message), {
    code: 'invalid_input',
    errors: [{ path: `body.${field}`, message }],
  })

/**
 * The address that is meant; `null` when a contact is named. Throws InvalidError unless exactly one
 * of the three is given and good.
 */
export function addressOf(ctx: Ctx, whom: RecipientInput): RecipientAddress | null {
  const given = [whom.contactId, whom.phoneNumber, whom.userId].filter(
    (value) => value !== undefined,
  )
  if (given.length !== 1)
    throw refused('contact_id', 'or phone_number or user_id is required, but only one of them')
  if (whom.phoneNumber !== undefined) {
    const country = getOrganization(ctx).defaultCountry
    // checked when it was set
    const digits = parsePhone(whom.phoneNumber, (country ?? undefined) as CountryCode | undefined)
    if (digits === null) throw refused('phone_number', 'is not a phone number')
    return { kind: 'phone', value: digits }
  }
  if (whom.userId === undefined) return null
  const userId = userIdOf(whom.userId)
  if (userId === null) throw refused('user_id', 'is not a user ID of the platform')
  return { kind: 'user_id', value: userId }
}

/**
 * The contact a message is for; one that was deleted counts when its address is given, for it comes
 * back. `null` when nobody has the address. Throws NotFoundError for a contact that is unknown or
 * out of sight, and as {@link addressOf}.
 */
export function findContactForSending(ctx: Ctx, whom: RecipientInput): ContactRow | null {
  const address = addressOf(ctx, whom)
  if (address === null) return getVisibleContact(ctx, whom.contactId ?? '')
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
    // Of several spellings the one that was asked for.
    .orderBy(desc(eq(contactIdentities.value, address.value)), contactIdentities.contactId)
    .get()
  if (!known) return null
  const row = ctx.db.orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        and(eq(contacts.id, known.contactId), visibleTo(ctx, contacts.id)),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Contact')
  return row
}

/**
 * The contact a message is for, in the transaction that stores the message: created when nobody has
 * its address, restored when it was deleted. Throws as {@link findContactForSending}.
 */
export function contactForSendingIn(
  tx: Tx,
  ctx: Ctx,
  whom: RecipientInput,
  accountId: string,
): ContactRow {
  const found = findContactForSending(ctx, whom)
  const address = addressOf(ctx, whom)
  if (address === null || (found && found.deletedAtMs === null))
    return found ?? getVisibleContact(ctx, whom.contactId ?? '')
  const ids = {
    phone: address.kind === 'phone' ? address.value : null,
    userId: address.kind === 'user_id' ? address.value : null,
    parentUserId: null,
    profileName: null,
    username: null,
  }
  // Older than anything the platform said: what it told of the contact stays.
  const row = contactOfSenderIn(tx, ctx, ids, { accountId, source: 'api', atMs: -1 })
  recordUnnamed(tx, ctx, { action: 'created', resourceType: 'contact', resourceId: row.id })
  return row
}
