import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/** Who sent something: phone digits and business-scoped user ids, as far as they are told. */
export interface Sender {
  from: string | null
  userId: string | null
  parentUserId: string | null
}

/** What the platform tells about a person beside the message itself. */
export interface Profile extends Sender {
  name: string | null
  /** Without the leading `@`. */
  username: string | null
}

const USER_ID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/
const PHONE_DIGITS = /^\d{7,15}$/

/** Whether the text has the form of a business-scoped user id (`US.1349…`, parents `US.ENT.…`). */
function isUserId(text: string): boolean {
  return USER_ID.test(text)
}

/**
 * Phone digits of an id field, tolerating a number, `+`, spaces and dashes; null when it is no
 * phone number.
 */
export function phoneDigitsOf(value: unknown): string | null {
  const digits = wordOf(value)?.replace(/[\s()+-]/g, '') ?? ''
  return PHONE_DIGITS.test(digits) ? digits : null
}

/** A user id of an id field; null when it has not the form of one. */
export function userIdOf(value: unknown): string | null {
  const word = wordOf(value)
  return word !== null && isUserId(word) ? word : null
}

/**
 * The sender a message names in its own members. A user id standing where a phone number belongs is
 * read as the user id.
 */
export function senderOf(message: JsonObject): Sender {
  return readSender(message.from, message.from_user_id, message.from_parent_user_id)
}

/**
 * Somebody named by the three id fields the platform has for people. A user id standing where a
 * phone number belongs is read as the user id.
 */
export function readSender(phone: unknown, user: unknown, parent: unknown): Sender {
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

/** Looks people up among the `contacts[]` of a change's value. */
export type ProfileIndex = (sender: Sender) => Profile | null

/**
 * An index over `value.contacts[]`. People are found by user id, then by number, never by position,
 * which means nothing.
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

/**
 * The entry of `value.contacts[]` that belongs to the sender of a message; null when there is none.
 */
export function profileFor(message: Sender, value: unknown): Profile | null {
  return indexProfiles(value)(message)
}

/** The sender with what only the profile tells filled in; null when nothing identifies anyone. */
export function completeSender(sender: Sender, profile: Profile | null): Sender | null {
  const from = sender.from ?? profile?.from ?? null
  const userId = sender.userId ?? profile?.userId ?? null
  const parentUserId = sender.parentUserId ?? profile?.parentUserId ?? null
  return from === null && userId === null && parentUserId === null
    ? null
    : { from, userId, parentUserId }
}

function idsOf({ from, userId, parentUserId }: Sender): string[] {
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
