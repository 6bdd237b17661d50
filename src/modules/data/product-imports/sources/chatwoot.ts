import type { Ctx } from '../../../../infra/ctx'
import { FileTooLargeError } from '../../../../infra/files/store'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { FetchRefusal } from '../../../../infra/guarded-fetch'
import {
  flagOf,
  isObject,
  listOf,
  numberOf,
  objectOf,
  secondsToMs,
  textOf,
  wordOf,
  type JsonObject,
} from '../../../../platform/lenient-json'
import {
  FileRefusal,
  MAX_FILE_BYTES,
  type ProductEntry,
  type EntryFile,
  type KnownBefore,
  type MessageEntry,
  type ProductSource,
} from '../entries'
import { ProductImportError, type ProductThing, type Reason } from '../model'
import { chatwootApi, type ChatwootAccess } from './chatwoot-api'

type Api = ReturnType<typeof chatwootApi>

/** Pages of a list that are read at most: 15 or 25 things each. */
const MAX_PAGES = 2_000_000

/**
 * Opens an account of Chatwoot by its API: reads its inboxes, so that nothing is begun with a wrong
 * address or token. Throws ProductImportError.
 */
export async function openChatwoot(access: ChatwootAccess): Promise<ProductSource> {
  const api = chatwootApi(access)
  const inboxes = (await listed(api, '/inboxes')).map(inboxOf)
  return {
    product: 'chatwoot',
    origin: api.base,
    async *entries(known) {
      yield* inboxes
      yield* (await listed(api, '/agents')).map(agentOf)
      yield* (await listed(api, '/labels')).map((label): ProductEntry => {
        const name = wordOf(label['title']) ?? ''
        return { kind: 'tag', id: idOf(label), name }
      })
      yield* (await listed(api, '/canned_responses')).map(cannedOf)
      yield* contactsOf(api)
      yield* notesOf(api)
      yield* conversationsOf(api, known)
    },
    stage: (ctx, file) => stageFrom(ctx, api, file),
    close: () => api.close(),
  }
}

/** Returns the things of an answer: a list, or one in `payload`, also below `data`. */
function thingsIn(answer: unknown): JsonObject[] {
  const data = isObject(answer) && isObject(answer['data']) ? answer['data'] : answer
  const list = Array.isArray(data) ? data : objectOf(data)['payload']
  if (!Array.isArray(list))
    throw new ProductImportError('Chatwoot answered something that is no list. Is it up to date?')
  return list.filter(isObject)
}

const listed = async (api: Api, path: string): Promise<JsonObject[]> =>
  thingsIn(await api.get(path))

/** Reads the pages of a list until one is empty, or brings nothing new. */
async function* paged(api: Api, path: string): AsyncGenerator<JsonObject> {
  let before = ''
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const things = await listed(api, `${path}${path.includes('?') ? '&' : '?'}page=${page}`)
    const ids = things.map(idOf).join()
    if (things.length === 0 || ids === before) return
    before = ids
    yield* things
  }
}

/** Returns the ID of a thing: Chatwoot's are numbers. */
const idOf = ({ id }: JsonObject): string => String(numberOf(id) ?? wordOf(id) ?? '')

function inboxOf(inbox: JsonObject): ProductEntry {
  const provider = objectOf(inbox['provider_config'])
  const channel = wordOf(inbox['channel_type']) ?? ''
  return {
    kind: 'number',
    id: idOf(inbox),
    phone: wordOf(inbox['phone_number'])?.replace(/^whatsapp:/, '') ?? null,
    phoneId: wordOf(provider['phone_number_id']),
    isWhatsApp:
      channel === 'Channel::Whatsapp' ||
      (channel === 'Channel::TwilioSms' && wordOf(inbox['medium']) === 'whatsapp'),
  }
}

const agentOf = (agent: JsonObject): ProductEntry => ({
  ...{ kind: 'agent', id: idOf(agent), email: wordOf(agent['email']) ?? '' },
})

const cannedOf = (canned: JsonObject): ProductEntry => ({
  kind: 'canned_response',
  id: idOf(canned),
  name: wordOf(canned['short_code']) ?? '',
  shortcut: wordOf(canned['short_code']),
  content: textOf(canned['content']) ?? '',
})

/** In the order of their making, so that new ones come last while we read. */
async function* contactsOf(api: Api): AsyncGenerator<ProductEntry> {
  for await (const contact of paged(api, '/contacts?sort=created_at')) {
    const id = idOf(contact)
    const { payload } = objectOf(await api.get(`/contacts/${id}/labels`))
    const email = wordOf(contact['email'])
    yield {
      kind: 'contact',
      id,
      phone: wordOf(contact['phone_number']),
      name: wordOf(contact['name']),
      tags: listOf(payload).filter((label): label is string => typeof label === 'string'),
      fields: { ...objectOf(contact['custom_attributes']), ...(email === null ? {} : { email }) },
      createdAtMs: secondsToMs(contact['created_at']),
    }
  }
}

async function* notesOf(api: Api): AsyncGenerator<ProductEntry> {
  for await (const contact of paged(api, '/contacts?sort=created_at'))
    for (const note of await listed(api, `/contacts/${idOf(contact)}/notes`))
      yield {
        kind: 'note',
        id: `contact/${idOf(note)}`,
        contact: idOf(contact),
        content: textOf(note['content']) ?? '',
        author: wordOf(objectOf(note['user'])['name']),
        atMs: secondsToMs(note['created_at']) ?? 0,
      }
}

async function* conversationsOf(api: Api, known: KnownBefore): AsyncGenerator<ProductEntry> {
  const path = '/conversations?status=all&sort_by=created_at_asc'
  for await (const conversation of paged(api, path)) {
    const id = idOf(conversation)
    const number = String(numberOf(conversation['inbox_id']) ?? '')
    const contact = idOf(objectOf(objectOf(conversation['meta'])['sender']))
    const isOpen = ['open', 'pending', 'snoozed'].includes(wordOf(conversation['status']) ?? '')
    yield { kind: 'conversation', id, contact, number, isOpen }
    if (known.hasNumber(number))
      yield* messagesOf(api, { id, contact, number, after: known.positionOf(id) })
  }
}

/** Messages of a page that is not the last one are at least so many: 100 now, 20 in the past. */
const SMALLEST_PAGE = 20

/** Reads the messages of a conversation from the oldest on, after those that were read before. */
async function* messagesOf(
  api: Api,
  at: { id: string; contact: string; number: string; after: string | null },
): AsyncGenerator<ProductEntry> {
  for (let after = Number(at.after ?? 0); ;) {
    const messages = await listed(api, `/conversations/${at.id}/messages?after=${after}`)
    const news = messages
      .filter(({ id }) => (numberOf(id) ?? 0) > after)
      .toSorted((a, b) => Number(a['id']) - Number(b['id']))
    const last = news.at(-1)
    if (!last && messages.length > 0)
      throw new ProductImportError(
        'This version of Chatwoot does not list messages from the oldest on. Update it first.',
      )
    if (!last) return
    for (const message of news) yield* entriesOf(message, at)
    after = Number(last['id'])
    yield { kind: 'conversation', id: at.id, position: String(after) }
    if (messages.length < SMALLEST_PAGE) return
  }
}

/** Chatwoot's words for what a message is. */
const MESSAGE = { incoming: 0, outgoing: 1, activity: 2, template: 3 } as const

const left = (kind: ProductThing, id: string, leftOut: Reason): ProductEntry => ({
  kind,
  id,
  leftOut,
})

/** Returns a message: a private one is a note, and one with several files becomes several. */
function* entriesOf(
  message: JsonObject,
  at: { contact: string; number: string },
): Generator<ProductEntry> {
  const id = idOf(message)
  const attributes = objectOf(message['content_attributes'])
  const sender = objectOf(message['sender'])
  const author = wordOf(sender['available_name']) ?? wordOf(sender['name'])
  const atMs = secondsToMs(message['created_at']) ?? 0
  const type = numberOf(message['message_type'])
  if (flagOf(attributes['deleted'])) return yield left('message', id, 'deleted')
  if (type === MESSAGE.activity) return yield left('message', id, 'activity')
  if (flagOf(message['private'])) {
    const content = textOf(message['content']) ?? ''
    return yield { kind: 'note', id: `message/${id}`, contact: at.contact, content, author, atMs }
  }
  const [first, ...others] = attachmentsOf(message)
  const whole: MessageEntry = {
    ...{ kind: 'message', id, contact: at.contact, number: at.number, atMs },
    waMessageId: wordOf(message['source_id']),
    direction: type === MESSAGE.incoming ? 'incoming' : 'outgoing',
    text: textIn(message, attributes, first?.text ?? null),
    location: first?.location ?? null,
    file: first?.file ?? null,
    status: statusOf(message['status']),
    problem: wordOf(attributes['external_error']),
    author: type === MESSAGE.incoming ? null : author,
    quotes: quotesOf(attributes),
  }
  yield whole
  for (const [index, { file, location, text }] of others.entries())
    yield {
      ...{ ...whole, id: `${id}/${index + 2}`, waMessageId: null, quotes: null },
      ...{ file, location, text: text ?? '' },
    }
}

function quotesOf(attributes: JsonObject): MessageEntry['quotes'] {
  const external = wordOf(attributes['in_reply_to_external_id'])
  if (external !== null) return { waMessageId: external }
  const id = numberOf(attributes['in_reply_to'])
  return id === null ? null : { id: String(id) }
}

/** Returns its text. What only Chatwoot shows, such as a form, is named. */
function textIn(message: JsonObject, attributes: JsonObject, ofFile: string | null): string {
  const content = textOf(message['content']) ?? ''
  const type = wordOf(message['content_type']) ?? 'text'
  const items = listOf(attributes['items'])
    .map((item) => wordOf(objectOf(item)['title']))
    .filter((title) => title !== null)
  const parts = [
    content,
    ...(type === 'text' || type === 'incoming_email' ? [] : [`[${[type, ...items].join(': ')}]`]),
    ...(ofFile === null ? [] : [ofFile]),
  ]
  return parts.filter((part) => part.trim() !== '').join('\n')
}

interface Attached {
  file: EntryFile | null
  location: MessageEntry['location']
  text: string | null
}

const FILE_KINDS = new Map<string, EntryFile['kind']>([
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['file', 'document'],
])

function attachmentsOf(message: JsonObject): Attached[] {
  return listOf(message['attachments']).map((one): Attached => {
    const attachment = objectOf(one)
    const type = wordOf(attachment['file_type']) ?? 'file'
    const title = wordOf(attachment['fallback_title'])
    const kind = FILE_KINDS.get(type)
    if (kind !== undefined) {
      const at = textOf(attachment['data_url']) ?? ''
      return { file: { at, kind, filename: nameIn(at) }, location: null, text: null }
    }
    const latitude = numberOf(attachment['coordinates_lat'])
    const longitude = numberOf(attachment['coordinates_long'])
    return type === 'location' && latitude !== null && longitude !== null
      ? { file: null, location: { latitude, longitude, name: title }, text: null }
      : { file: null, location: null, text: `[${type}] ${title ?? ''}`.trim() }
  })
}

/** Returns the name at the end of an address, or `null`. */
function nameIn(address: string): string | null {
  const name = URL.parse(address)?.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name) || null
  } catch {
    return null
  }
}

const statusOf = (status: unknown): MessageEntry['status'] =>
  status === 'delivered' || status === 'read' || status === 'failed' ? status : 'sent'

async function stageFrom(ctx: Ctx, api: Api, file: EntryFile): Promise<StagedFile> {
  try {
    const answer = await api.download(file.at, MAX_FILE_BYTES)
    try {
      return await ctx.files.stage(answer.bytes, {
        filename: file.filename,
        maxBytes: MAX_FILE_BYTES,
      })
    } finally {
      answer.close()
    }
  } catch (error) {
    if (error instanceof FileTooLargeError) throw new FileRefusal('file_refused')
    if (error instanceof FetchRefusal)
      throw new FileRefusal(error.kind === 'too_large' ? 'file_refused' : 'file_missing')
    throw error
  }
}
