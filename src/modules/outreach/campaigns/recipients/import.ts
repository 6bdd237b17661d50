import { isName, nameRule } from '../../../../lib/fields'
import { isUuid } from '../../../../lib/ids'
import { parsePhone, type CountryCode } from '../../../../lib/phone'
import { freeObjectProblems } from '../../../../lib/free-object'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { isObject } from '../../../../platform/lenient-json'
import { userIdOf } from '../../../../platform/webhook/sender'
import { holdersOf } from '../../../inbox/contacts/identities/identities'
import { findContact } from '../../../inbox/contacts/service'
import { displayNameOf } from '../../../inbox/contacts/view'
import { isVisible } from '../../../inbox/contacts/sight/visibility'
import { problemOfParams } from '../draft/validate-values'
import type { CampaignTemplate } from '../draft/template'
import { addRecipientIn, type AddedRecipient as Recipient } from './add'
import type { NewRecipient } from './model'

/** A validated recipient. */
export interface ReadRecipient {
  contactId: string | null
  phoneNumber: string | null
  userId: string | null
  name: string | null
  params: Recipient['params']
}

const LIMITS = { bytes: 8 * 1_024, levels: 4 } as const

/**
 * Validates a recipient and returns it, or why it is invalid. `country` applies to phone numbers
 * without a country code.
 */
export function readRecipient(
  written: NewRecipient,
  country: string | null,
): ReadRecipient | { reason: string } {
  const input = normalizeFields(written)
  if ('reason' in input) return input
  const fields = [input.phone_number, input.contact_id, input.user_id].filter(
    (value) => value !== undefined && value !== '',
  )
  if (fields.length !== 1)
    return { reason: 'requires exactly one of phone_number, contact_id and user_id' }
  const params = {
    template_params: input.template_params,
    header_params: input.header_params,
    button_params: input.button_params,
    columns: input.columns,
  }
  const [problem] = Object.entries(params).flatMap(([name, value]) =>
    freeObjectProblems(value ?? {}, name, LIMITS),
  )
  if (problem) return { reason: `${problem.path} ${problem.message}` }
  const isEmpty = Object.values(params).every(
    (value) => value === undefined || Object.keys(value).length === 0,
  )
  const name = input.recipient_name?.trim() ?? ''
  if (name !== '' && !isName(name)) return { reason: `recipient_name ${nameRule()}` }
  const common = { name: name === '' ? null : name, params: isEmpty ? null : params }
  if (input.contact_id !== undefined && input.contact_id !== '')
    return isUuid(input.contact_id)
      ? { contactId: input.contact_id.toLowerCase(), phoneNumber: null, userId: null, ...common }
      : { reason: 'contact_id is not a contact ID' }
  if (input.user_id !== undefined && input.user_id !== '') {
    const userId = userIdOf(input.user_id)
    return userId === null
      ? { reason: 'user_id is not a user ID of the platform' }
      : { contactId: null, phoneNumber: null, userId, ...common }
  }
  const phoneNumber = parsePhone(
    input.phone_number ?? '',
    (country ?? undefined) as CountryCode | undefined,
  ) // checked when it was set
  return phoneNumber === null
    ? { reason: 'is not a phone number of 7 to 15 digits' }
    : { contactId: null, phoneNumber, userId: null, ...common }
}

const TEXTS = { phone_number: 64, contact_id: 64, user_id: 255, recipient_name: 1_024 } as const
const OBJECTS = ['template_params', 'header_params', 'button_params', 'columns'] as const

/** Checks the types of the fields. Accepts phone numbers as numbers, and ignores null. */
function normalizeFields(written: NewRecipient): NewRecipient | { reason: string } {
  const fields = Object.fromEntries(
    Object.entries(written).filter(([, value]) => (value as unknown) !== null),
  ) as Record<string, unknown>
  if (typeof fields['phone_number'] === 'number')
    fields['phone_number'] = String(fields['phone_number'])
  for (const [name, maxLength] of Object.entries(TEXTS)) {
    const value = fields[name]
    if (value !== undefined && (typeof value !== 'string' || value.length > maxLength))
      return { reason: `${name} must be a string of up to ${maxLength} characters` }
  }
  const malformed = OBJECTS.find((name) => fields[name] !== undefined && !isObject(fields[name]))
  return malformed === undefined
    ? (fields as NewRecipient)
    : { reason: `${malformed} must be an object` }
}

/** The campaign of an import, and the template its values have to fit. */
export interface ImportTarget {
  campaignId: string
  template: CampaignTemplate | null
}

/**
 * Adds a recipient, linked to the contact with its number in any spelling. Contacts that `ctx`
 * cannot see are rejected. Returns the recipient's ID, or why it was not added. Runs inside the
 * caller's transaction.
 */
export function importRecipientIn(
  tx: Tx,
  ctx: Ctx,
  to: ImportTarget,
  read: ReadRecipient,
): { id: string } | { reason: string } | 'duplicate' {
  const problem = to.template && read.params && problemOfParams(to.template, read.params)
  if (problem != null) return { reason: problem }
  const ids = { phone: read.phoneNumber, userId: read.userId, parentUserId: null }
  const contactId = read.contactId ?? holdersOf(ctx, ids)[0] ?? null
  const contact = contactId === null ? null : findContact(ctx, contactId)
  const isKnown = contact !== null && (read.contactId === null || contact.deletedAtMs === null)
  if (read.contactId !== null && (!isKnown || !isVisible(ctx, read.contactId)))
    return { reason: 'contact_id is not a contact that you can see' }
  if (contact && !isVisible(ctx, contact.id))
    return { reason: 'belongs to a contact that you cannot see' }
  const id = addRecipientIn(tx, ctx, {
    campaignId: to.campaignId,
    contactId: contact?.id ?? null,
    phoneNumber: read.phoneNumber ?? contact?.phoneNumber ?? contact?.waId ?? null,
    userId: read.userId ?? contact?.userId ?? null,
    name: read.name ?? (contact && displayNameOf(contact, false)),
    source: 'upload',
    skip: null,
    params: read.params,
  })
  return id === null ? 'duplicate' : { id }
}
