import { Client } from '@great-detail/whatsapp'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { WhatsAppAPI } from 'whatsapp-api-js'
import * as say from 'whatsapp-api-js/messages'

import type { Customer } from '../../src/simulator/customers'
import { startReceiver, type Receiver } from './pair'
import { startSimulator, type Simulator } from '../../src/simulator/platform'

/**
 * Requests of two public client libraries. They were tested against the real platform, so the
 * simulator must accept them with all its rules enabled.
 */
let simulator: Simulator
let receiver: Receiver
let customer: Customer
let wamid: string
const files: Record<string, string> = {}

const TYPES = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg',
  document: 'application/pdf',
  sticker: 'image/webp',
} as const
const ENDINGS = {
  image: 'png',
  video: 'mp4',
  audio: 'ogg',
  document: 'pdf',
  sticker: 'webp',
} as const

beforeAll(async () => {
  receiver = startReceiver()
  simulator = await startSimulator({ callbackUrl: receiver.url, statuses: [] })
  customer = simulator.customer()
  wamid = (await customer.says('Hello')).id
  simulator.keepTemplate({ name: 'hello_world' })
  simulator.keepTemplate({
    name: 'order',
    components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is ready.' }],
  })
  simulator.keepTemplate({
    name: 'named',
    parameterFormat: 'NAMED',
    components: [{ type: 'BODY', text: 'Hello {{first_name}}.' }],
  })
  simulator.keepTemplate({
    name: 'pictured',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look, {{1}}!' },
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' }],
      },
    ],
  })
  const form = (kind: keyof typeof TYPES): FormData => {
    const filled = new FormData()
    filled.set('file', new File(['bytes'], `file.${ENDINGS[kind]}`, { type: TYPES[kind] }))
    filled.set('type', TYPES[kind])
    return filled
  }
  for (const kind of Object.keys(TYPES) as (keyof typeof TYPES)[]) {
    const uploaded = (await first().uploadMedia(simulator.phone.id, form(kind))) as { id: string }
    files[kind] = uploaded.id
  }
})

afterAll(async () => {
  await simulator.stop()
  await receiver.stop()
})

/** The first library has a fixed base URL; only that is replaced. */
const first = (): WhatsAppAPI =>
  new WhatsAppAPI({
    token: simulator.phone.token,
    secure: false,
    v: 'v25.0',
    ponyfill: {
      fetch: ((url: string | URL, init: RequestInit) =>
        fetch(
          String(url).replace('https://graph.facebook.com', simulator.url),
          init,
        )) as typeof fetch,
    },
  })

/** The second one takes a base URL. */
const second = (): Client =>
  new Client({
    baseUrl: simulator.url,
    graphVersion: 'v25.0',
    request: {
      headers: { authorization: `Bearer ${simulator.phone.token}` },
      throwHttpErrors: false,
      retry: 0,
    },
  })

/** The customer with phone number and user ID. */
const recipient = (): { phone: string; bsuid: string } => ({
  phone: customer.waId ?? '',
  bsuid: customer.userId ?? '',
})

const id = (kind: keyof typeof TYPES): string => files[kind] ?? ''

/** Every kind of message, built by the first library. */
const BUILT: [kind: string, build: () => Parameters<WhatsAppAPI['sendMessage']>[2]][] = [
  ['a text', () => new say.Text('Hello')],
  ['a text with a preview', () => new say.Text('See https://example.com', true)],
  ['an image by id', () => new say.Image(id('image'), true, 'A picture')],
  ['an image by link', () => new say.Image('https://example.com/a.png')],
  ['a video', () => new say.Video(id('video'), true)],
  ['a voice message', () => new say.Audio(id('audio'), true, true)],
  ['a document', () => new say.Document(id('document'), true, 'Read', 'terms.pdf')],
  ['a sticker', () => new say.Sticker(id('sticker'), true)],
  ['a location', () => new say.Location(13.4, 52.5, 'Office', '1 Main Road')],
  [
    'contacts',
    () =>
      new say.Contacts([
        new say.Name('Ana Sol', 'Ana', 'Sol'),
        new say.Phone('+15550109999', 'CELL'),
        new say.Birthday('2000', '01', '31'),
      ]),
  ],
  ['a reaction', () => new say.Reaction(wamid, '👍')],
  ['no reaction any more', () => new say.Reaction(wamid)],
  [
    'buttons',
    () =>
      new say.Interactive(
        new say.ActionButtons(new say.Button('yes', 'Yes'), new say.Button('no', 'No')),
        new say.Body('Well?'),
        undefined,
        new say.Footer('Footer'),
      ),
  ],
  [
    'a list',
    () =>
      new say.Interactive(
        new say.ActionList(
          'Choose',
          new say.ListSection('A', new say.Row('1', 'One', 'First')),
          new say.ListSection('B', new say.Row('2', 'Two')),
        ),
        new say.Body('Which?'),
        new say.Header('Header'),
      ),
  ],
  [
    'a link button',
    () =>
      new say.Interactive(new say.ActionCTA('Open', 'https://example.com'), new say.Body('Look')),
  ],
  [
    'a catalog',
    () =>
      new say.Interactive(
        new say.ActionCatalog(new say.Product('sku-1')),
        new say.Body('Our goods'),
      ),
  ],
  [
    'a product',
    () => new say.Interactive(new say.ActionProduct(new say.CatalogProduct('sku-1', '4'))),
  ],
  [
    'products',
    () =>
      new say.Interactive(
        new say.ActionProductList(
          '4',
          new say.ProductSection('All', new say.Product('sku-1'), new say.Product('sku-2')),
        ),
        new say.Body('Our goods'),
        new say.Header('Goods'),
      ),
  ],
  [
    'a Flow',
    () =>
      new say.Interactive(
        new say.ActionNavigateFlow('token', '7', 'Begin', 'START', { name: 'Ana' }),
        new say.Body('Fill in'),
      ),
  ],
  [
    'a request for a place',
    () => new say.Interactive(new say.ActionLocation(), new say.Body('Where?')),
  ],
  [
    'a request to call',
    () => new say.Interactive(new say.ActionCallPermission(), new say.Body('May we call?')),
  ],
  ['a template', () => new say.Template('hello_world', 'en_US')],
  [
    'a template with values',
    () =>
      new say.Template(
        'order',
        'en_US',
        new say.BodyComponent(new say.BodyParameter('Ana'), new say.BodyParameter('7')),
      ),
  ],
  [
    'a template with a picture and a link',
    () =>
      new say.Template(
        'pictured',
        'en_US',
        new say.HeaderComponent(new say.HeaderParameter(new say.Image(id('image'), true))),
        new say.BodyComponent(new say.BodyParameter('Ana')),
        new say.URLComponent('7'),
      ),
  ],
]

/** Kinds with types in the second library, which passes the rest of the body through. */
const WRITTEN: [kind: string, body: () => Record<string, unknown>][] = [
  ['a text', () => ({ type: 'text', text: { body: 'Hello' } })],
  [
    'a text with a preview',
    () => ({ type: 'text', text: { body: 'See https://example.com', preview_url: true } }),
  ],
  ['an answer', () => ({ type: 'text', text: { body: 'Yes' }, context: { message_id: wamid } })],
  ['an image by id', () => ({ type: 'image', image: { id: id('image'), caption: 'A picture' } })],
  ['an image by link', () => ({ type: 'image', image: { link: 'https://example.com/a.png' } })],
  ['a video', () => ({ type: 'video', video: { id: id('video') } })],
  ['audio', () => ({ type: 'audio', audio: { id: id('audio') } })],
  [
    'a document',
    () => ({ type: 'document', document: { id: id('document'), filename: 'terms.pdf' } }),
  ],
  ['a sticker', () => ({ type: 'sticker', sticker: { id: id('sticker') } })],
  [
    'a location',
    () => ({ type: 'location', location: { latitude: '52.5', longitude: '13.4', name: 'Office' } }),
  ],
  [
    'contacts',
    () => ({
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ana Sol', first_name: 'Ana' },
          phones: [{ phone: '+15550109999' }],
        },
      ],
    }),
  ],
  ['a reaction', () => ({ type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } })],
  [
    'buttons',
    () =>
      interactive('button', { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] }),
  ],
  [
    'a list',
    () =>
      interactive('list', {
        button: 'Choose',
        sections: [{ title: 'A', rows: [{ id: '1', title: 'One' }] }],
      }),
  ],
  [
    'a link button',
    () =>
      interactive('cta_url', {
        name: 'cta_url',
        parameters: { display_text: 'Open', url: 'https://example.com' },
      }),
  ],
  ['a catalog', () => interactive('catalog_message', { name: 'catalog_message' })],
  ['a product', () => interactive('product', { catalog_id: '4', product_retailer_id: 'sku-1' })],
  [
    'a Flow',
    () =>
      interactive('flow', {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: '7', flow_cta: 'Begin', flow_token: 't' },
      }),
  ],
  [
    'a request for a place',
    () => interactive('location_request_message', { name: 'send_location' }),
  ],
  [
    'a template',
    () => ({ type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }),
  ],
  [
    'a template with named values',
    () => ({
      type: 'template',
      template: {
        name: 'named',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ana' }],
          },
        ],
      },
    }),
  ],
]

const interactive = (type: string, action: Record<string, unknown>): Record<string, unknown> => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Words' }, action },
})

describe('a client library that builds messages from classes', () => {
  test('covers at least twenty kinds', () => expect(BUILT.length).toBeGreaterThanOrEqual(20))

  test.each(BUILT)('sends %s', async (_, build) => {
    const answer = await first().sendMessage(simulator.phone.id, recipient(), build())
    expect(answer).toMatchObject({ messages: [{ id: expect.stringMatching(/^wamid\./) }] })
    expect(simulator.unexpected).toEqual([])
  })

  test('sends read receipts, blocks users, manages QR codes and fetches files', async () => {
    const { id: phoneId } = simulator.phone
    const api = first()
    expect(await api.markAsRead(phoneId, wamid, 'text')).toEqual({ success: true })
    expect(await api.blockUser(phoneId, recipient())).toMatchObject({
      block_users: { added_users: [{ wa_id: customer.waId }] },
    })
    expect(await api.unblockUser(phoneId, recipient())).toMatchObject({
      block_users: { removed_users: [{ wa_id: customer.waId }] },
    })
    const code = (await api.createQR(phoneId, 'Hello', 'svg')) as { code: string }
    expect(await api.updateQR(phoneId, code.code, 'Goodbye')).toMatchObject({
      code: code.code,
      prefilled_message: 'Goodbye',
    })
    expect(await api.retrieveQR(phoneId)).toMatchObject({ data: [{ code: code.code }] })
    expect(await api.retrieveQR(phoneId, code.code)).toMatchObject({
      data: [{ prefilled_message: 'Goodbye' }],
    })
    expect(await api.deleteQR(phoneId, code.code)).toEqual({ success: true })
    const facts = (await api.retrieveMedia(id('image'), phoneId)) as { url: string }
    expect(await (await api.fetchMedia(facts.url)).text()).toBe('bytes')
    expect(simulator.unexpected).toEqual([])
  })
})

describe('a client library that passes bodies on', () => {
  test('covers at least twenty kinds', () => expect(WRITTEN.length).toBeGreaterThanOrEqual(20))

  test.each(WRITTEN)('sends %s', async (_, body) => {
    const message = {
      phoneNumberID: simulator.phone.id,
      to: customer.waId ?? '',
      ...body(),
    } as never
    const response = await second().message.createMessage(message)
    expect(await response.json()).toMatchObject({
      messages: [{ id: expect.stringMatching(/^wamid\./) }],
    })
  })

  test('manages profiles, commands, templates and files', async () => {
    const { id: phoneNumberID, wabaId } = simulator.phone
    const api = second()
    const bodyOf = async (work: Promise<Response>): Promise<unknown> => (await work).json()
    expect(
      await bodyOf(
        api.businessProfile.updateBusinessProfile({
          phoneNumberID,
          about: 'Hi',
          vertical: 'RETAIL',
        } as never),
      ),
    ).toEqual({
      success: true,
    })
    const profile = api.businessProfile.getBusinessProfile({
      phoneNumberID,
      fields: ['about', 'vertical'],
    } as never)
    expect(await bodyOf(profile)).toMatchObject({ data: [{ about: 'Hi', vertical: 'RETAIL' }] })
    const automation = {
      phoneNumberID,
      enable_welcome_message: true,
      prompts: ['Opening hours?'],
      commands: [{ command_name: 'help', command_description: 'Get help' }],
    }
    expect(
      await bodyOf(api.conversationalAutomation.setConversationalAutomation(automation as never)),
    ).toEqual({ success: true })
    const templates = api.template.list(wabaId, {
      category: ['UTILITY', 'MARKETING'],
      fields: ['name', 'status'],
      limit: 2,
    } as never)
    expect(await bodyOf(templates)).toMatchObject({
      data: [{ name: 'hello_world', status: 'APPROVED' }, { name: 'order' }],
    })
    const uploaded = api.media.upload({
      phoneNumberID,
      file: new Blob(['bytes'], { type: 'image/png' }),
      filename: 'a.png',
      mimeType: 'image/png',
    } as never)
    const { id: mediaID } = (await bodyOf(uploaded)) as { id: string }
    const { url } = (await bodyOf(api.media.getURL({ mediaID } as never))) as { url: string }
    // Its own download sends no token; the user agent is the library's.
    const bytes = await fetch(url, {
      headers: { authorization: `Bearer ${simulator.phone.token}`, 'user-agent': 'node' },
    })
    expect(await bytes.text()).toBe('bytes')
    expect(simulator.unexpected).toEqual([])
  })
})
