import { isObject, listOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { recipientIdIn, type BrokenItem } from './body'
import { isErased } from './redact-person'
import { completeSender, indexProfiles, readSender } from './sender'
import type { WebhookSender } from './sender'

/** Lists that a standby change can hold, directly or below a `standby` member. */
const LISTS = ['contacts', 'messages', 'message_echoes', 'statuses'] as const

/** The lists of a standby change in one place, so that the usual readers can read them. */
export function standbyLists(value: unknown): Record<(typeof LISTS)[number], unknown[]> {
  const { standby } = objectOf(value)
  const parts = [value, ...(Array.isArray(standby) ? listOf(standby) : [standby])].map(objectOf)
  const all = (name: (typeof LISTS)[number]): unknown[] =>
    parts.flatMap((part) => listOf(part[name]))
  return {
    contacts: all('contacts'),
    messages: all('messages'),
    message_echoes: all('message_echoes').map(unwrappedEcho),
    statuses: all('statuses'),
  }
}

/** The member of an echo that can hold its recipient and content is merged into the echo. */
function unwrappedEcho(item: unknown): unknown {
  if (!isObject(item) || !isObject(item.message)) return item
  const { message, ...rest } = item
  const { recipient, ...content } = message
  return {
    ...(recipient === undefined ? {} : { to: recipient, to_user_id: recipient }),
    ...content,
    ...rest,
  }
}

/** The owner of a thread after a handover, as far as the platform reports it. */
export type HandoverOwner = 'us' | 'platform_agent' | 'other_app' | 'unknown'

/** A change of the owner of the thread with a customer. */
export interface Handover {
  /** The customer. */
  sender: WebhookSender
  /** The business's number, if the handover names it. */
  phoneNumberId: string | null
  /** How control changed: it was passed on, or taken. `null` for any other event. */
  kind: 'passed' | 'taken' | null
  owner: HandoverOwner
  /** The roles of both owners on the number, as far as they are named. */
  roles: HandoverRoles
  /** What the app that caused it sent along. */
  metadata: string | null
  /** What the former owner says about the conversation so far. */
  summary: string | null
  timestampMs: number | null
}

/** The roles of the former and the new owner of a thread on a number. */
export interface HandoverRoles {
  previous: string | null
  next: string | null
}

/**
 * Reads the handovers of a change, one result per element, or the only one if the value is no list.
 * Malformed elements become broken items.
 */
export function readHandovers(value: unknown): Array<Handover | BrokenItem> {
  const listed = objectOf(value).messaging_handovers
  return (Array.isArray(listed) ? listOf(listed) : [value]).map((item) => readHandover(item))
}

function readHandover(item: unknown): Handover | BrokenItem {
  if (!isObject(item)) return { broken: 'not_an_object', raw: item }
  const kind = isNamed(item, 'control_passed')
    ? 'passed'
    : isNamed(item, 'control_taken')
      ? 'taken'
      : null
  const control = objectOf(kind === 'taken' ? item.control_taken : item.control_passed)
  const roles = { previous: roleOf(control, 'previous_owner'), next: roleOf(control, 'new_owner') }
  const sender = handoverSender(item, control)
  if (sender === null)
    return { broken: 'no_sender', raw: isErased(item.sender) ? item.sender : item }
  return {
    sender,
    phoneNumberId: recipientIdIn(item),
    kind,
    owner: kind === null ? 'unknown' : ownerAfter(kind, roles),
    roles,
    metadata: wordOf(control.metadata),
    summary: summaryIn(control),
    timestampMs: secondsToMs(item.timestamp),
  }
}

/**
 * Returns what the former owner of a thread says about the conversation so far, in the
 * `conversation_context` of a handover or beside messages. A model wrote it, so it is shown and never
 * read by a program.
 */
export const summaryIn = (value: unknown): string | null =>
  wordOf(objectOf(objectOf(objectOf(value).conversation_context).summary).text)

const isNamed = (item: JsonObject, name: string): boolean =>
  item.type === name || (item.type === undefined && isObject(item[name]))

/** The customer is the sender, or named beside or inside the event, depending on its age. */
function handoverSender(item: JsonObject, control: JsonObject): WebhookSender | null {
  const [first] = [item.sender, control.recipient, ...listOf(item.contacts)]
    .map(objectOf)
    .map((person) =>
      readSender(person.phone_number ?? person.wa_id, person.user_id, person.parent_user_id),
    )
    .filter((sender) => completeSender(sender, null) !== null)
  return first === undefined ? null : completeSender(first, indexProfiles(item)(first))
}

/** Names of the platform's own agent among the roles of owners. */
const AGENT_ROLES = new Set(['ai_agent', 'meta_business_agent'])

/** Whether a role is that of the platform's own agent. */
export const isAgentRole = (role: string | null): boolean => role !== null && AGENT_ROLES.has(role)

/**
 * Returns the owner after a handover. Control that was passed on and not to the agent came to us,
 * because only the new owner and the former one are notified. Without roles nothing is known.
 */
function ownerAfter(kind: 'passed' | 'taken', { previous, next }: HandoverRoles): HandoverOwner {
  if (isAgentRole(next)) return 'platform_agent'
  if (kind === 'taken') return next === null ? 'unknown' : 'other_app'
  return next === null && previous === null ? 'unknown' : 'us'
}

const roleOf = (control: JsonObject, name: 'new_owner' | 'previous_owner'): string | null =>
  wordOf(control[`${name}_role`]) ??
  wordOf(control[`${name}_app_role`]) ??
  wordOf(objectOf(control[name]).app_role) ??
  wordOf(objectOf(control[name]).role)
