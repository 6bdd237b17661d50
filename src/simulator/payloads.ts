/** The business number of a webhook. */
export type BusinessNumber = { wabaId: string; phoneNumberId: string; displayPhoneNumber: string }

/** A customer in webhooks. One with a username may have no wa_id (platform document 1.14). */
export type Person = {
  waId?: string | undefined
  userId?: string | undefined
  name?: string | undefined
  username?: string | undefined
}

/** A webhook body. */
export type Webhook = {
  object: string
  entry: {
    id: string
    time?: number
    changes: { value: Record<string, unknown>; field: string }[]
  }[]
}

/**
 * Common options of generated webhooks; missing ones are generated. `timestamp` in Unix seconds.
 */
export type About = {
  line?: BusinessNumber
  person?: Person
  id?: string
  timestamp?: number
  context?: Record<string, unknown>
  groupId?: string
}

/** Default business number of generated webhooks. */
export const defaultNumber: BusinessNumber = {
  wabaId: '201000000000001',
  phoneNumberId: '301000000000001',
  displayPhoneNumber: '15550100001',
}

/** Default customer of generated webhooks. */
export const defaultPerson: Person = {
  waId: '15550109999',
  userId: 'US.90000000000000000001',
  name: 'Ana Sol',
}

const SOME_TIME = 1_790_000_000
let invented = 0

/** Returns a message ID that is unique in this process. */
export function newMessageId(): string {
  invented += 1
  return `wamid.HBgL${Buffer.from(`invented-${invented}`).toString('base64')}`
}

const present = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/**
 * Wraps a value of any field as the platform does. Only account and template fields have `time`
 * (Unix seconds).
 */
export function envelope(
  value: Record<string, unknown>,
  options: { line?: BusinessNumber; field?: string; time?: number } = {},
): Webhook {
  const { wabaId } = options.line ?? defaultNumber
  const time = options.time === undefined ? {} : { time: options.time }
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, ...time, changes: [{ value, field: options.field ?? 'messages' }] }],
  }
}

function valueOf(line: BusinessNumber, rest: Record<string, unknown>): Record<string, unknown> {
  const metadata = {
    display_phone_number: line.displayPhoneNumber,
    phone_number_id: line.phoneNumberId,
  }
  return { messaging_product: 'whatsapp', metadata, ...rest }
}

const contactOf = (person: Person): Record<string, unknown> =>
  present({
    profile: present({ name: person.name ?? 'Ana Sol', username: person.username }),
    wa_id: person.waId,
    user_id: person.userId,
  })

function messageOf(about: About, content: Record<string, unknown>): Record<string, unknown> {
  const person = about.person ?? defaultPerson
  const head = {
    from: person.waId,
    from_user_id: person.userId,
    id: about.id ?? newMessageId(),
    timestamp: String(about.timestamp ?? SOME_TIME),
    context: about.context,
    group_id: about.groupId,
  }
  return present({ ...head, ...content })
}

/** A message of any type from a customer. `content` holds `type` and the member of that name. */
export function message(content: Record<string, unknown>, about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  const contacts = [contactOf(about.person ?? defaultPerson)]
  return envelope(valueOf(line, { contacts, messages: [messageOf(about, content)] }), { line })
}

/** A text from a customer. */
export function textMessage(body: string, about: About = {}): Webhook {
  return message({ type: 'text', text: { body } }, about)
}

/** Media of any kind. `part` holds id, mime_type, sha256 and members of the kind. */
export function mediaMessage(
  kind: string,
  part: Record<string, unknown>,
  about: About = {},
): Webhook {
  return message({ type: kind, [kind]: part }, about)
}

/** A customer's reaction to a message; null removes it. */
export function reaction(messageId: string, emoji: string | null, about: About = {}): Webhook {
  return message(
    { type: 'reaction', reaction: present({ message_id: messageId, emoji: emoji ?? undefined }) },
    about,
  )
}

/**
 * A reply to an interactive message: button_reply, list_reply, nfm_reply or call_permission_reply.
 */
export function interactiveReply(
  kind: string,
  part: Record<string, unknown>,
  about: About = {},
): Webhook {
  return message({ type: 'interactive', interactive: { type: kind, [kind]: part } }, about)
}

/** A tap on a quick reply of a template. */
export function templateButton(payload: string, text: string, about: About = {}): Webhook {
  return message({ type: 'button', button: { payload, text } }, about)
}

/** A shared location. */
export function location(place: Record<string, unknown>, about: About = {}): Webhook {
  return message({ type: 'location', location: place }, about)
}

/** Shared contact cards. */
export function contacts(cards: Record<string, unknown>[], about: About = {}): Webhook {
  return message({ type: 'contacts', contacts: cards }, about)
}

/** An order of catalog products. */
export function order(items: Record<string, unknown>[], about: About = {}): Webhook {
  return message(
    { type: 'order', order: { catalog_id: '401000000000001', text: '', product_items: items } },
    about,
  )
}

/** An edit of an earlier message. */
export function edit(originalId: string, body: string, about: About = {}): Webhook {
  const inner = { context: { id: 'M0' }, type: 'text', text: { body } }
  return message({ type: 'edit', edit: { original_message_id: originalId, message: inner } }, about)
}

/** A deletion of a message. */
export function revoke(originalId: string, about: About = {}): Webhook {
  return message({ type: 'revoke', revoke: { original_message_id: originalId } }, about)
}

/** A message of a kind that the platform does not deliver. */
export function unsupported(kind = 'poll', about: About = {}): Webhook {
  const details = 'Message type is currently not supported.'
  const error = {
    code: 131051,
    title: 'Message type unknown',
    message: 'Message type unknown',
    error_data: { details },
  }
  return message({ type: 'unsupported', unsupported: { type: kind }, errors: [error] }, about)
}

/**
 * A change of a customer's number. It has no contacts (platform document 1.10). With a new user ID,
 * it names the former one too.
 */
export function systemNumberChanged(
  newWaId: string,
  about: About = {},
  newUserId?: string,
): Webhook {
  const person = about.person ?? defaultPerson
  const ids = newUserId === undefined ? {} : { user_id: newUserId, previous_user_id: person.userId }
  const system = {
    body: `User ${person.name ?? 'Ana Sol'} changed from ${person.waId ?? ''} to ${newWaId}`,
    wa_id: newWaId,
    ...ids,
    type: 'user_changed_number',
  }
  return systemMessage(system, { ...about, person: { waId: person.waId } })
}

/**
 * Whom a system message about a new user ID names outside of `system`: nobody; the person by the new
 * ID, in the contacts or as the sender; by the former ID as the sender; or by the number, without
 * the former ID anywhere but in the text, as until summer 2026.
 */
export type NamedBy =
  | 'nothing'
  | 'new_id_in_contacts'
  | 'new_id_as_sender'
  | 'former_id_as_sender'
  | 'number'

/** A change of a customer's business-scoped user ID, as after a change of number. */
export function systemUserIdChanged(
  newUserId: string,
  about: About = {},
  named: NamedBy = 'nothing',
): Webhook {
  const person = about.person ?? defaultPerson
  const body = `User ${person.name ?? 'Ana Sol'} changed from ${person.userId ?? ''} to ${newUserId}`
  const former = named === 'number' ? {} : { previous_user_id: person.userId }
  const system = { body, user_id: newUserId, ...former, type: 'user_changed_user_id' }
  const senders: Record<NamedBy, Person> = {
    nothing: {},
    new_id_in_contacts: {},
    new_id_as_sender: { userId: newUserId },
    former_id_as_sender: { userId: person.userId },
    number: { waId: person.waId },
  }
  const contacts =
    named === 'new_id_in_contacts'
      ? { contacts: [contactOf({ ...person, waId: undefined, userId: newUserId })] }
      : {}
  return systemMessage(system, { ...about, person: senders[named] }, contacts)
}

function systemMessage(
  system: Record<string, unknown>,
  about: About,
  contacts: Record<string, unknown> = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const messages = [messageOf(about, { type: 'system', system })]
  return envelope(valueOf(line, { ...contacts, messages }), { line })
}

/**
 * A new business-scoped user ID of a customer, reported in its own field. The person is named by
 * its previous ID.
 */
export function userIdUpdate(newUserId: string, about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const update = present({
    wa_id: person.waId,
    detail: `User id for ${person.name ?? 'Ana Sol'} has been updated.`,
    user_id: { previous: person.userId, current: newUserId },
    timestamp: String(about.timestamp ?? SOME_TIME),
  })
  const { user_id: _previous, ...shown } = contactOf(person)
  return envelope(valueOf(line, { contacts: [shown], user_id_update: [update] }), {
    line,
    field: 'user_id_update',
  })
}

/** Errors of the account itself, without messages and statuses. */
export function valueErrors(code = 130429, title = 'Rate limit hit', about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  return envelope(
    valueOf(line, { errors: [{ code, title, message: title, error_data: { details: title } }] }),
    { line },
  )
}

/**
 * Facts of a status besides its name. `recipientId` is a number or group; `participant` a group
 * member.
 */
export type StatusFacts = {
  callbackData?: string | undefined
  recipientId?: string | undefined
  participant?: string | undefined
  pricing?: Record<string, unknown> | undefined
  /** The free entry point window of the message. */
  conversation?: Record<string, unknown> | undefined
  error?: { code: number; title: string; details: string } | undefined
  /** The template that a message without one of ours was sent with. */
  templateId?: string | undefined
  /** False omits the contacts, as all traffic before spring 2026 did. */
  contacts?: boolean | undefined
}

function statusOf(
  messageId: string,
  status: string,
  facts: StatusFacts,
  about: About,
): Record<string, unknown> {
  const person = about.person ?? defaultPerson
  const { error } = facts
  const errors = error && [
    {
      code: error.code,
      title: error.title,
      message: error.title,
      error_data: { details: error.details },
    },
  ]
  const group =
    facts.participant === undefined
      ? {}
      : { recipient_type: 'group', recipient_participant_id: facts.participant }
  return present({
    id: messageId,
    status,
    timestamp: String(about.timestamp ?? SOME_TIME),
    recipient_id: facts.recipientId ?? person.waId,
    recipient_user_id: status === 'failed' ? undefined : person.userId,
    ...group,
    pricing: facts.pricing,
    conversation: facts.conversation,
    template_id: facts.templateId,
    errors,
    biz_opaque_callback_data: facts.callbackData,
  })
}

/**
 * A status of a sent message: sent, delivered, read, played or failed. `failed` has no contacts
 * (platform document 1.11).
 */
export function statusChange(
  messageId: string,
  status: string,
  facts: StatusFacts = {},
  about: About = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const nameless =
    status === 'failed' || facts.participant !== undefined || facts.contacts === false
  const people = nameless ? {} : { contacts: [contactOf(person)] }
  return envelope(
    valueOf(line, { ...people, statuses: [statusOf(messageId, status, facts, about)] }),
    { line },
  )
}

/**
 * One webhook with n texts, each from another customer, in order. The platform batches up to 1000.
 */
export function batch(n: number, about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  const people = Array.from({ length: n }, (_, index): Person => ({
    waId: String(15_550_200_000 + index),
    userId: `US.91${String(index).padStart(18, '0')}`,
    name: `Customer ${index + 1}`,
  }))
  const messages = people.map((person, index) =>
    messageOf(
      { ...about, person, id: newMessageId() },
      { type: 'text', text: { body: `Text ${index + 1}` } },
    ),
  )
  return envelope(valueOf(line, { contacts: people.map(contactOf), messages }), { line })
}

/** Combines several webhooks into one POST with all their entries, also of several accounts. */
export function combine(...webhooks: Webhook[]): Webhook {
  return {
    object: 'whatsapp_business_account',
    entry: webhooks.flatMap((webhook) => webhook.entry),
  }
}
