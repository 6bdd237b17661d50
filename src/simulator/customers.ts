import type { Phone } from './accounts'
import type { Call, Deadline } from './calls'
import { callActions } from './customer-calls'
import type { Delivery } from './deliveries'
import type { MediaKind } from './media-rules'
import {
  contacts,
  edit,
  interactiveReply,
  location,
  mediaMessage,
  order,
  reaction,
  revoke,
  statusChange,
  systemNumberChanged,
  systemUserIdChanged,
  templateButton,
  textMessage,
} from './payloads'
import type { About, NamedBy, Person, Webhook } from './payloads'
import { deliver, businessNumberOf, seconds } from './world'
import { sampleFile } from './sample-files'
import { agentAnswers, deliverToOwner, passThread, type Passing } from './threads'
import type { World } from './world'

/** Options of a customer. With `waId` null, the customer has a username and no visible number. */
export type CustomerOptions = {
  phone?: string
  waId?: string | null
  userId?: string | null
  name?: string
  username?: string
}

/** Context of a message: the wamid it replies to, its group, its ad referral. */
export type MessageContext = { replyTo?: string; groupId?: string; forwarded?: boolean }

/** A file to send. Missing bytes are generated. */
export type MediaToSend = {
  type: MediaKind
  mime?: string
  bytes?: Uint8Array
  /** An already stored file, instead of bytes. */
  stored?: { id: string; sha256: string }
  caption?: string
  filename?: string
  voice?: boolean
}

/**
 * Result of a customer action: the message ID and its webhook, which was delivered, given up or
 * held.
 */
export type CustomerAction = { id: string; webhook: Webhook; delivery: Delivery }

/** A customer of a business number, who sends messages by webhook and receives messages. */
export type Customer = Person & { phone: string } & Speech &
  Gestures &
  Senses &
  Callers &
  Owned &
  Changing

type Tell = (build: (about: About) => Webhook, around?: MessageContext) => Promise<CustomerAction>
type Speech = ReturnType<typeof messageActions>
type Gestures = ReturnType<typeof replyActions>
type Senses = ReturnType<typeof inbox>
type Callers = ReturnType<typeof callActions>
type Changing = { changesUserId: (userId: string, named?: NamedBy) => Promise<CustomerAction> }
type Owned = {
  isAnsweredByAgent: (text: string) => Promise<string>
  isPassedTo: (owner: 'us' | 'agent' | 'other', along?: Omit<Passing, 'owner'>) => Promise<void>
}

const MIMES: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

/**
 * Creates a customer of the number. Actions resolve when the webhook was answered, given up or
 * held.
 */
export function createCustomer(
  world: World,
  phone: Phone,
  options: CustomerOptions,
  defaults: { waId: string; userId: string },
): Customer {
  const person: Person = {
    waId: options.waId === null ? undefined : (options.waId ?? defaults.waId),
    userId: options.userId === null ? undefined : (options.userId ?? defaults.userId),
    name: options.name ?? 'Ana Sol',
    username: options.username,
  }
  world.people.add(phone.id, person)
  const keys = [person.waId, person.userId].filter((key): key is string => key !== undefined)
  const tell: Tell = async (build, around = {}) => {
    const id = world.ids.wamid()
    const webhook = build(aboutOf(world, phone, person, id, around))
    return { id, webhook, delivery: await deliverToOwner(world, phone, person, webhook) }
  }
  return {
    ...person,
    phone: phone.id,
    ...messageActions(world, phone, tell),
    ...replyActions(world, phone, keys, tell),
    ...inbox(world, phone, person, keys),
    ...callActions(world, phone, person),
    /** Gets a new user ID, and writes and is reached under it from then on. */
    changesUserId: async (userId: string, named?: NamedBy): Promise<CustomerAction> => {
      const told = await tell((about) => systemUserIdChanged(userId, about, named))
      person.userId = userId
      keys.push(userId)
      world.people.add(phone.id, person)
      return told
    },
    /** Gets an answer of the platform's agent. Returns its message ID. */
    isAnsweredByAgent: (text: string) => agentAnswers(world, phone, person, text),
    /** Is passed on to the app, to the platform's agent or to another app. */
    isPassedTo: (owner, along = {}) => passThread(world, phone, person, { owner, ...along }),
  }
}

/** Actions that send a new message. */
function messageActions(world: World, phone: Phone, tell: Tell) {
  return {
    /** Sends a text. */
    says: (text: string, around?: MessageContext) =>
      tell((about) => textMessage(text, about), around),
    /** Sends a file. The simulator serves its bytes under the media ID. */
    sends: (file: MediaToSend, around?: MessageContext) =>
      tell((about) => mediaMessage(file.type, storedPart(world, phone.id, file), about), around),
    /** Shares a location. */
    sharesLocation: (
      place: { latitude: number; longitude: number; name?: string; address?: string },
      around?: MessageContext,
    ) => tell((about) => location(place, about), around),
    /** Shares a contact card. */
    sharesContact: (
      { name: words, phone, waId }: { name: string; phone: string; waId?: string },
      around?: MessageContext,
    ) => {
      const name = { formatted_name: words, first_name: words }
      const known = waId === undefined ? {} : { wa_id: waId }
      return tell(
        (about) => contacts([{ name, phones: [{ phone, type: 'MOBILE', ...known }] }], about),
        around,
      )
    },
    /** Orders catalog products. */
    orders: (items: Record<string, unknown>[], around?: MessageContext) =>
      tell((about) => order(items, about), around),
    /** Changes the phone number. */
    changesNumber: (waId: string) => tell((about) => systemNumberChanged(waId, about)),
  }
}

/** Actions on an existing message. */
function replyActions(world: World, phone: Phone, keys: readonly string[], tell: Tell) {
  return {
    /** Taps a reply button of an interactive message. */
    taps: (id: string, title: string, around?: MessageContext) =>
      tell((about) => interactiveReply('button_reply', { id, title }, about), around),
    /** Selects a row of a list message. */
    picks: (id: string, title: string, around: MessageContext & { description?: string } = {}) => {
      const description =
        around.description === undefined ? {} : { description: around.description }
      return tell(
        (about) => interactiveReply('list_reply', { id, title, ...description }, about),
        around,
      )
    },
    /** Taps a quick reply of a template. */
    tapsTemplate: (payload: string, text: string, around?: MessageContext) =>
      tell((about) => templateButton(payload, text, about), around),
    /** Completes a Flow. A string is sent unchanged, even if it is not JSON. */
    completesFlow: (response: Record<string, unknown> | string, around?: MessageContext) => {
      const json = typeof response === 'string' ? response : JSON.stringify(response)
      return tell(
        (about) =>
          interactiveReply('nfm_reply', { name: 'flow', body: 'Sent', response_json: json }, about),
        around,
      )
    },
    /** Permits calls until a time, or for good with `null`. */
    permitsCalls: (untilMs: number | null, around?: MessageContext) => {
      for (const key of keys)
        world.callPermissions.set(phone.id, key, {
          status: untilMs === null ? 'permanent' : 'temporary',
          expiresAtMs: untilMs,
        })
      const until =
        untilMs === null
          ? { is_permanent: true }
          : { expiration_timestamp: Math.floor(untilMs / 1_000) }
      const reply = { response: 'accept', ...until, response_source: 'user_action' }
      return tell((about) => interactiveReply('call_permission_reply', reply, about), around)
    },
    /** Refuses calls. */
    refusesCalls: (around?: MessageContext) =>
      tell(
        (about) =>
          interactiveReply(
            'call_permission_reply',
            { response: 'reject', response_source: 'user_action' },
            about,
          ),
        around,
      ),
    /** Reacts to a message; null removes the reaction. */
    reacts: (wamid: string, emoji: string | null) => tell((about) => reaction(wamid, emoji, about)),
    /** Edits an earlier message. */
    edits: (wamid: string, text: string) => tell((about) => edit(wamid, text, about)),
    /** Deletes an earlier message. */
    deletes: (wamid: string) => tell((about) => revoke(wamid, about)),
  }
}

/** Received messages and their statuses. */
function inbox(world: World, phone: Phone, person: Person, keys: readonly string[]) {
  const isMine = (call: Call): boolean =>
    call.object === phone.id && call.recipient !== undefined && keys.includes(call.recipient)
  const tellStatus = (wamid: string, status: string): Promise<Delivery> =>
    deliver(
      world,
      phone,
      statusChange(
        wamid,
        status,
        {},
        { line: businessNumberOf(phone), person, timestamp: seconds(world) },
      ),
    )
  return {
    /** Opens the chat, so that the message counts as read. */
    reads: (wamid: string) => tellStatus(wamid, 'read'),
    /** Plays a voice message. */
    plays: (wamid: string) => tellStatus(wamid, 'played'),
    /** Messages this customer received, oldest first, as the calls that sent them. */
    received: (): Call[] =>
      world.log.all.filter((call) => call.wamid !== undefined && isMine(call)),
    /** Waits for at least n messages. Returns the first n. */
    waitForMessages: (n: number, deadline: Deadline = {}): Promise<Call[]> =>
      world.log.wait(n, { ...deadline, accepted: true, route: 'messages', where: isMine }),
  }
}

function aboutOf(
  world: World,
  phone: Phone,
  person: Person,
  id: string,
  around: MessageContext,
): About {
  const line = businessNumberOf(phone)
  const reply =
    around.replyTo === undefined ? {} : { from: line.displayPhoneNumber, id: around.replyTo }
  const forwarded = around.forwarded === true ? { forwarded: true } : {}
  const context = { ...reply, ...forwarded }
  return {
    line,
    person,
    id,
    timestamp: seconds(world),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(around.groupId === undefined ? {} : { groupId: around.groupId }),
  }
}

function storedPart(world: World, phoneId: string, file: MediaToSend): Record<string, unknown> {
  const mime = file.mime ?? MIMES[file.type]
  const stored =
    file.stored ??
    world.media.put(
      { id: world.ids.media(), phoneId, mime },
      file.bytes ?? sampleFile(file.type, mime),
    )
  const part: Record<string, unknown> = { mime_type: mime, sha256: stored.sha256, id: stored.id }
  if (file.caption !== undefined) part['caption'] = file.caption
  if (file.filename !== undefined) part['filename'] = file.filename
  if (file.type === 'audio') part['voice'] = file.voice ?? mime.startsWith('audio/ogg')
  if (file.type === 'sticker') part['animated'] = false
  return part
}
