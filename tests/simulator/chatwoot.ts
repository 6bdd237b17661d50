import type { Server } from 'bun'

/** A row of the made-up account, with the fields that Chatwoot's serializers give. */
type Thing = Record<string, unknown> & { id: number }

/** Things of a page, as Chatwoot's controllers have them. */
const PAGE = { contacts: 15, conversations: 25, messages: 100 } as const

const PNG = Uint8Array.fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
)

/** The rows of an account. */
export interface ChatwootData {
  inboxes: Thing[]
  agents: Thing[]
  labels: Thing[]
  canned_responses: Thing[]
  contacts: (Thing & { labels: string[]; notes: Thing[] })[]
  conversations: (Thing & { messages: Thing[] })[]
}

/** Queries that each list knows; another one is a mistake of ours. */
const QUERIES: Record<string, readonly string[]> = {
  contacts: ['page', 'sort'],
  conversations: ['page', 'status', 'sort_by'],
  messages: ['after'],
}

/**
 * Chatwoot's API for one account, as far as an import reads it: written from its routes, finders and
 * serializers, since it cannot be run here. It is as strict: the token, the account, pages of 15 and
 * 25, messages after an ID, 429 with `Retry-After`. What it refuses or does not know is in `faults`.
 */
export class ChatwootServer {
  readonly token = 'chatwoot-token-of-the-test'
  readonly account = 3
  readonly calls: string[] = []
  readonly faults: string[] = []
  /** Answers of 429 that are still to be given. */
  busy = 0
  /** Called before each answer; may answer instead. */
  before: () => Response | null = () => null
  private readonly server: Server<undefined>

  constructor(readonly data: ChatwootData) {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => this.answer(request),
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  private answer(request: Request): Response {
    const url = new URL(request.url)
    this.calls.push(url.pathname + url.search)
    const instead = this.before()
    if (instead) return instead
    const token = request.headers.get('api_access_token')
    if (url.pathname.startsWith('/rails/')) return this.file(url, token)
    if (token !== this.token)
      return Response.json({ errors: ['Invalid Access Token'] }, { status: 401 })
    if (this.busy > 0) {
      this.busy -= 1
      return new Response('Retry later\n', { status: 429, headers: { 'retry-after': '0' } })
    }
    const path = url.pathname.split('/').slice(1)
    const [api, version, accounts, account, ...rest] = path
    const isOurs = [api, version, accounts].join('/') === 'api/v1/accounts'
    if (!isOurs || account !== String(this.account) || request.method !== 'GET')
      return this.refuse(url)
    return this.list(url, rest)
  }

  /** Files come from the storage, which never gets the token. */
  private file(url: URL, token: string | null): Response {
    if (token !== null) this.faults.push('the token was sent with a file')
    if (url.pathname.endsWith('gone.png')) return new Response('Not found', { status: 404 })
    if (url.pathname.endsWith('elsewhere.png'))
      return Response.redirect('http://169.254.169.254/latest/meta-data', 302)
    return new Response(url.pathname.endsWith('.png') ? PNG : 'a text', {
      headers: { 'content-type': 'application/octet-stream' },
    })
  }

  private refuse(url: URL): Response {
    this.faults.push(`no such resource: ${url.pathname}`)
    return Response.json({ error: 'Resource could not be found' }, { status: 404 })
  }

  private list(url: URL, [name = '', id, part]: string[]): Response {
    const known = part === 'messages' ? QUERIES['messages'] : id ? [] : QUERIES[name]
    for (const query of url.searchParams.keys())
      if (known?.includes(query) !== true)
        this.faults.push(`unknown query: ${url.pathname}?${query}`)
    const { data } = this
    if (id === undefined) {
      if (name === 'inboxes' || name === 'labels') return Response.json({ payload: data[name] })
      if (name === 'agents' || name === 'canned_responses') return Response.json(data[name])
      if (name === 'contacts') return Response.json(this.contacts(url))
      if (name === 'conversations') return Response.json(this.conversations(url))
    }
    const contact = data.contacts.find((thing) => String(thing.id) === id)
    const conversation = data.conversations.find((thing) => String(thing.id) === id)
    if (name === 'contacts' && contact && part === 'labels')
      return Response.json({ payload: contact.labels })
    if (name === 'contacts' && contact && part === 'notes') return Response.json(contact.notes)
    if (name === 'conversations' && conversation && part === 'messages')
      return Response.json(this.messages(url, conversation.messages))
    return this.refuse(url)
  }

  private contacts(url: URL) {
    const page = Number(url.searchParams.get('page') ?? 1)
    const rows = this.data.contacts.slice((page - 1) * PAGE.contacts, page * PAGE.contacts)
    return {
      meta: { count: this.data.contacts.length, current_page: page },
      payload: rows.map(({ labels: _labels, notes: _notes, ...shown }) => shown),
    }
  }

  private conversations(url: URL) {
    if (url.searchParams.get('status') !== 'all') this.faults.push('only open conversations asked')
    const page = Number(url.searchParams.get('page') ?? 1)
    const from = (page - 1) * PAGE.conversations
    const rows = this.data.conversations.slice(from, from + PAGE.conversations)
    const count = this.data.conversations.length
    return {
      data: {
        meta: { mine_count: 0, unassigned_count: count, assigned_count: 0, all_count: count },
        payload: rows.map(({ messages, ...shown }) => ({ ...shown, messages: messages.slice(-1) })),
      },
    }
  }

  private messages(url: URL, rows: Thing[]) {
    const after = Number(url.searchParams.get('after') ?? 0)
    const payload = rows.filter(({ id }) => id > after).slice(0, PAGE.messages)
    return { meta: { labels: [], additional_attributes: {}, contact: {} }, payload }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true)
  }
}

/** 1 September 2026, in seconds, as all times of Chatwoot. */
const SEPTEMBER_S = Date.UTC(2026, 8, 1) / 1_000

const inbox = (id: number, more: Record<string, unknown>): Thing => ({
  ...{ id, avatar_url: '', channel_id: id, name: `Inbox ${id}`, channel_type: 'Channel::Whatsapp' },
  ...{ greeting_enabled: false, phone_number: null, provider: null, ...more },
})

const contact = (
  id: number,
  more: Record<string, unknown> & { labels?: string[]; notes?: Thing[] },
): ChatwootData['contacts'][number] => ({
  ...{ additional_attributes: {}, availability_status: 'offline', email: null, id },
  ...{ name: `Customer ${id}`, phone_number: `+4915200${String(id).padStart(6, '0')}` },
  ...{ blocked: false, identifier: null, thumbnail: '', custom_attributes: {} },
  ...{ last_activity_at: SEPTEMBER_S, created_at: SEPTEMBER_S + id, labels: [], notes: [] },
  ...more,
})

/** A message of Chatwoot; `at` is in minutes after the first of September. */
export const message = (
  id: number,
  type: 0 | 1 | 2 | 3,
  content: string | null,
  more: Record<string, unknown> = {},
): Thing => ({
  ...{ id, content, inbox_id: 1, conversation_id: 1, message_type: type, content_type: 'text' },
  ...{ status: 'sent', content_attributes: {}, created_at: SEPTEMBER_S + id * 60, private: false },
  ...{ source_id: `wamid.CW${id}`, sender: { id: 1, name: 'Anna Agent', type: 'user' } },
  ...more,
})

const conversation = (
  id: number,
  contactId: number,
  messages: Thing[],
  more: Record<string, unknown> = {},
): ChatwootData['conversations'][number] => ({
  meta: {
    sender: { id: contactId, name: '', phone_number: null, email: null },
    ...{ channel: 'Channel::Whatsapp', hmac_verified: false },
  },
  ...{ id, messages, account_id: 3, uuid: crypto.randomUUID(), additional_attributes: {} },
  ...{ inbox_id: 1, labels: [], muted: false, status: 'resolved', unread_count: 0 },
  ...{ created_at: SEPTEMBER_S, timestamp: SEPTEMBER_S, last_activity_at: SEPTEMBER_S },
  ...more,
})

const file = (id: number, type: string, name: string, base: string): Record<string, unknown> => ({
  ...{ id, message_id: 1, file_type: type, account_id: 3, extension: null, file_size: 70 },
  data_url: `${base}/rails/active_storage/blobs/redirect/${id}/${name}`,
  thumb_url: '',
})

/** A small account: a WhatsApp inbox and one of the website, and people of every kind. */
export function chatwootAccount(): ChatwootData {
  const many = Array.from({ length: 14 }, (_, index) => contact(100 + index, {}))
  return {
    inboxes: [
      inbox(1, {
        phone_number: '+15550100001',
        provider: 'whatsapp_cloud',
        provider_config: { phone_number_id: '0', api_key: 'not used', business_account_id: '1' },
      }),
      inbox(2, { channel_type: 'Channel::WebWidget', website_token: 'x' }),
    ],
    agents: [
      {
        ...{ id: 1, account_id: 3, availability_status: 'online', auto_offline: true },
        ...{ confirmed: true, email: 'anna@fixture.example', available_name: 'Anna Agent' },
        ...{ name: 'Anna Agent', role: 'administrator', thumbnail: '' },
      },
      { id: 2, account_id: 3, email: 'not an address', name: 'Bot', role: 'agent' },
    ],
    labels: [{ id: 1, title: 'vip', description: '', color: '#1f93ff', show_on_sidebar: true }],
    canned_responses: [
      { id: 1, account_id: 3, short_code: 'hello', content: 'Hello {{contact.name}}' },
      { id: 2, account_id: 3, short_code: 'empty', content: '' },
    ],
    contacts: [
      contact(1, {
        ...{ name: 'Mia <b>Muster</b>', labels: ['vip', 'late'], email: 'mia@fixture.example' },
        custom_attributes: { city: 'Berlin' },
        notes: [
          {
            ...{ id: 7, content: 'Prefers the morning', account_id: 3, contact_id: 1 },
            ...{ user: { id: 1, name: 'Anna Agent' }, created_at: SEPTEMBER_S },
          },
        ],
      }),
      contact(2, { phone_number: null, email: 'only@mail.example', name: 'Only Mail' }),
      contact(3, { name: '+4915200000003' }),
      contact(4, { phone_number: '+49 15200 000001', name: 'The same number' }),
      ...many,
    ],
    conversations: [],
  }
}

/** The conversations of that account, whose files lie at `base`. */
export function chatwootConversations(base: string): ChatwootData['conversations'] {
  const customer = { sender: { id: 1, name: 'Mia', type: 'contact' } }
  const first = [
    message(1, 0, "It's urgent'); DROP TABLE messages;--", customer),
    message(2, 1, 'We look at it.', { status: 'read' }),
    message(3, 1, 'Angry customer, be nice', { private: true, source_id: null }),
    message(4, 2, 'Conversation was marked resolved by Anna', { source_id: null, sender: null }),
    message(5, 0, null, { ...customer, attachments: [file(1, 'image', 'shelf.png', base)] }),
    message(6, 0, 'gone', { ...customer, attachments: [file(2, 'image', 'gone.png', base)] }),
    message(7, 0, null, { ...customer, attachments: [file(3, 'image', 'elsewhere.png', base)] }),
    message(8, 1, 'Rate us', {
      ...{ content_type: 'input_select', source_id: null, status: 'failed' },
      content_attributes: { items: [{ title: 'Good', value: '1' }], external_error: '131026: no' },
    }),
    message(9, 0, '', { ...customer, content_attributes: { deleted: true } }),
    message(10, 1, 'Answer', {
      content_attributes: { in_reply_to: 1, in_reply_to_external_id: 'wamid.CW1' },
    }),
    message(11, 0, null, {
      ...customer,
      attachments: [
        { id: 9, file_type: 'location', coordinates_lat: 52.5, coordinates_long: 13.4 },
        file(4, 'file', 'list.txt', base),
      ],
    }),
    message(12, 0, null, { ...customer, attachments: [] }),
  ]
  const long = Array.from({ length: 230 }, (_, index) =>
    message(1_000 + index, (index % 2) as 0 | 1, `Line ${index}`),
  )
  const rest = Array.from({ length: 26 }, (_, index) =>
    conversation(20 + index, 100 + (index % 14), [
      message(5_000 + index, 0, `Hi from ${index}`, customer),
    ]),
  )
  return [
    conversation(1, 1, first, { status: 'open' }),
    conversation(2, 2, [message(600, 0, 'By mail', customer)]),
    conversation(3, 1, [message(700, 0, 'On the website')], { inbox_id: 2 }),
    conversation(4, 3, long),
    ...rest,
  ]
}
