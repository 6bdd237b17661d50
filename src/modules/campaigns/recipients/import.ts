import { isName, nameRule } from '../../../lib/fields'
import { isUuid } from '../../../lib/ids'
import { parsePhone, type CountryCode } from '../../../lib/phone'
import { freeObjectProblems } from '../../../lib/free-object'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { isObject } from '../../../platform/lenient-json'
import { userIdOf } from '../../../platform/webhook/sender'
import { holdersOf } from '../../contacts/identities'
import { findContact } from '../../contacts/service'
import { displayNameOf } from '../../contacts/view'
import { isVisible } from '../../contacts/visibility'
import { problemOfOwn } from '../draft/validate-values'
import type { CampaignTemplate } from '../draft/template'
import { addRecipientIn, type NewRecipient as Recipient } from './add'
import type { NewRecipient } from './model'

/** Somebody who was read and found good by itself. */
export interface ReadRecipient {
  contactId: string | null
  phoneNumber: string | null
  userId: string | null
  name: string | null
  params: Recipient['params']
}

const LIMITS = { bytes: 8 * 1_024, levels: 4 } as const

/**
 * Reads one who is to be brought in, or says what is wrong; `country` is that of numbers written
 * without one.
 */
export function readRecipient(
  written: NewRecipient,
  country: string | null,
): ReadRecipient | { reason: string } {
  const asked = textsOf(written)
  if ('reason' in asked) return asked
  const given = [asked.phone_number, asked.contact_id, asked.user_id].filter(
    (value) => value !== undefined && value !== '',
  )
  if (given.length !== 1)
    return { reason: 'requires exactly one of phone_number, contact_id and user_id' }
  const params = {
    template_params: asked.template_params,
    header_params: asked.header_params,
    button_params: asked.button_params,
  }
  const [problem] = Object.entries(params).flatMap(([name, value]) =>
    freeObjectProblems(value ?? {}, name, LIMITS),
  )
  if (problem) return { reason: `${problem.path} ${problem.message}` }
  const isEmpty = Object.values(params).every(
    (value) => value === undefined || Object.keys(value).length === 0,
  )
  const name = asked.recipient_name?.trim() ?? ''
  if (name !== '' && !isName(name)) return { reason: `recipient_name ${nameRule()}` }
  const rest = { name: name === '' ? null : name, params: isEmpty ? null : params }
  if (asked.contact_id !== undefined && asked.contact_id !== '')
    return isUuid(asked.contact_id)
      ? { contactId: asked.contact_id.toLowerCase(), phoneNumber: null, userId: null, ...rest }
      : { reason: 'contact_id is not a contact ID' }
  if (asked.user_id !== undefined && asked.user_id !== '') {
    const userId = userIdOf(asked.user_id)
    return userId === null
      ? { reason: 'user_id is not a user ID of the platform' }
      : { contactId: null, phoneNumber: null, userId, ...rest }
  }
  const phoneNumber = parsePhone(
    asked.phone_number ?? '',
    (country ?? undefined) as CountryCode | undefined,
  ) // checked when it was set
  return phoneNumber === null
    ? { reason: 'is not a phone number of 7 to 15 digits' }
    : { contactId: null, phoneNumber, userId: null, ...rest }
}

const TEXTS = { phone_number: 64, contact_id: 64, user_id: 255, recipient_name: 1_024 } as const
const OBJECTS = ['template_params', 'header_params', 'button_params'] as const

/**
 * One whose fields are of the kinds they have to be; numbers of phones also come as numbers, and
 * null says nothing.
 */
function textsOf(written: NewRecipient): NewRecipient | { reason: string } {
  const given = Object.fromEntries(
    Object.entries(written).filter(([, value]) => (value as unknown) !== null),
  ) as Record<string, unknown>
  if (typeof given['phone_number'] === 'number')
    given['phone_number'] = String(given['phone_number'])
  for (const [name, most] of Object.entries(TEXTS)) {
    const value = given[name]
    if (value !== undefined && (typeof value !== 'string' || value.length > most))
      return { reason: `${name} must be a string of up to ${most} characters` }
  }
  const odd = OBJECTS.find((name) => given[name] !== undefined && !isObject(given[name]))
  return odd === undefined ? (given as NewRecipient) : { reason: `${odd} must be an object` }
}

/** A campaign that recipients are brought into, with the template their values have to fit. */
export interface Loading {
  campaignId: string
  template: CampaignTemplate | null
}

/**
 * Brings one in, in the caller's transaction: found among the contacts by the number in every
 * spelling. Contacts that `ctx` does not see are refused. Returns the id of the recipient, or why
 * there is none.
 */
export function addRecipientsIn(
  tx: Tx,
  ctx: Ctx,
  to: Loading,
  read: ReadRecipient,
): { id: string } | { reason: string } | 'duplicate' {
  const problem = to.template && read.params && problemOfOwn(to.template, read.params)
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
