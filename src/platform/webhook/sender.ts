import { isObject, listOf, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/**
 * Sender identity: phone digits and business-scoped user IDs, as far as the platform sends them.
 */
export interface WebhookSender {
  from: string | null
  userId: string | null
  parentUserId: string | null
}

/** Profile data that the platform sends about a person next to the message. */
export interface Profile extends WebhookSender {
  name: string | null
  /** Without the leading `@`. */
  username: string | null
}

const USER_ID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/
const PHONE_DIGITS = /^\d{7,15}$/

/**
 * Reports whether a text has the form of a business-scoped user ID (`US.1349…`, parents
 * `US.ENT.…`).
 */
function isUserId(text: string): boolean {
  return USER_ID.test(text)
}

/** Returns the phone digits of an ID field, or `null`. Accepts a number, `+`, spaces and dashes. */
export function phoneDigitsOf(value: unknown): string | null {
  const digits = wordOf(value)?.replace(/[\s()+-]/g, '') ?? ''
  return PHONE_DIGITS.test(digits) ? digits : null
}

/** Returns the user ID of an ID field, or `null` if it has another form. */
export function userIdOf(value: unknown): string | null {
  const word = wordOf(value)
  return word !== null && isUserId(word) ? word : null
}

/**
 * Reads the sender of a message. A user ID in a phone number field is read as user ID. A system
 * message is from the person it is about, whom it may name by the former IDs only.
 */
export function senderOf(message: JsonObject): WebhookSender {
  const sender = readSender(message.from, message.from_user_id, message.from_parent_user_id)
  return isObject(message.system) ? completed(formerIdsIn(message.system), sender) : sender
}

const CHANGED = /\bchanged from (\S+) to (\S+?)\.?$/

/**
 * Reads the IDs that a person had before the change of a system message, from their own fields or
 * from the text. Only the end of the text counts, because it also has the name that a person chose.
 */
function formerIdsIn(system: JsonObject): WebhookSender {
  const [, former, present] = CHANGED.exec(textOf(system.body)?.trim() ?? '') ?? []
  const isTold = present !== undefined && [system.user_id, system.wa_id].includes(present)
  return readSender(
    system.previous_wa_id ?? (isTold ? former : null),
    system.previous_user_id,
    system.previous_parent_user_id,
  )
}

/**
 * Reads a person from the platform's three ID fields. A user ID in the phone number field is read
 * as user ID.
 */
export function readSender(phone: unknown, user: unknown, parent: unknown): WebhookSender {
  const ids = [user, parent, phone].map(userIdOf).filter((id) => id !== null)
  return {
    from: phoneDigitsOf(phone),
    userId: ids.find((id) => !isParent(id)) ?? null,
    parentUserId: ids.find(isParent) ?? null,
  }
}

function isParent(userId: string): boolean {
  return userId.startsWith('ENT.', 3)
}

/** Looks up the profile of a sender in the `contacts[]` of a change. */
export type ProfileIndex = (sender: WebhookSender) => Profile | null

/**
 * Indexes `value.contacts[]`. Profiles are found by user ID, then by phone number, never by
 * position, which has no meaning.
 */
export function indexProfiles(value: unknown): ProfileIndex {
  const byId = new Map<string, Profile>()
  for (const contact of listOf(objectOf(value).contacts)) {
    if (!isObject(contact)) continue
    const profile = readProfile(contact)
    for (const id of idsOf(profile)) if (!byId.has(id)) byId.set(id, profile)
  }
  return (sender) => {
    for (const id of idsOf(sender)) {
      const profile = byId.get(id)
      if (profile !== undefined) return profile
    }
    return null
  }
}

/** Returns the profile of the person in `value.contacts[]` if it is the only one, or `null`. */
export function onlyProfile(value: unknown): Profile | null {
  const [contact, ...others] = listOf(objectOf(value).contacts)
  return isObject(contact) && others.length === 0 ? readProfile(contact) : null
}

/** Returns the profile of a sender from `value.contacts[]`, or `null`. */
export function profileFor(message: WebhookSender, value: unknown): Profile | null {
  return indexProfiles(value)(message)
}

/**
 * Completes a sender with IDs from the profile. Returns `null` if nothing identifies the person.
 */
export function completeSender(
  sender: WebhookSender,
  profile: Profile | null,
): WebhookSender | null {
  const whole = completed(sender, profile ?? sender)
  return idsOf(whole).length === 0 ? null : whole
}

/** Fills the missing IDs of a sender with those of another one. */
const completed = (sender: WebhookSender, other: WebhookSender): WebhookSender => ({
  from: sender.from ?? other.from,
  userId: sender.userId ?? other.userId,
  parentUserId: sender.parentUserId ?? other.parentUserId,
})

function idsOf({ from, userId, parentUserId }: WebhookSender): string[] {
  return [userId, parentUserId, from].filter((id) => id !== null)
}

function readProfile(contact: JsonObject): Profile {
  const { name, username } = objectOf(contact.profile)
  return {
    ...readSender(contact.wa_id, contact.user_id, contact.parent_user_id),
    name: wordOf(name),
    username: wordOf(username ?? contact.username)?.replace(/^@/, '') || null,
  }
}
