import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { messagePreview, readContent } from '../../src/platform/webhook/content'
import { systemChangeOf } from '../../src/platform/webhook/system-change'
import type { InboundMessage } from '../../src/platform/webhook/messages'

const USER = 'US.90000000000000000001'

const messageOf = (
  type: string,
  members: object = {},
  more: Partial<InboundMessage> = {},
): InboundMessage => ({
  waMessageId: 'wamid.M1',
  from: '15550109999',
  userId: null,
  parentUserId: null,
  timestampMs: 1790000000000,
  type,
  context: null,
  referral: null,
  groupId: null,
  errors: [],
  profileName: null,
  username: null,
  raw: { from: '15550109999', type, ...members },
  ...more,
})
const contentOf = (type: string, members: object) => readContent(messageOf(type, members)).content

describe('text', () => {
  test.each([
    ['as sent', ' café 🍕\r\n ', ' café 🍕\r\n '],
    ['without NUL', 'a\0b', 'ab'],
    ['with lone surrogates replaced', 'a\ud83cb', 'a\ufffdb'],
    ['empty when missing', undefined, ''],
    ['of a number', 42, '42'],
  ])('keeps %s', (_name, body, kept) => {
    expect(readContent(messageOf('text', { text: { body } }))).toEqual({
      type: 'text',
      content: { text: kept },
      media: null,
    })
  })

  test('is empty without its object', () => {
    expect(contentOf('text', {})).toEqual({ text: '' })
  })
})

describe('media', () => {
  const file = {
    id: '1003383421387256',
    mime_type: 'image/jpeg',
    sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=',
  }
  const shown = {
    caption: null,
    mime_type: 'image/jpeg',
    filename: null,
    sha256: file.sha256,
    size_bytes: null,
  }

  test.each([
    [
      'image',
      { image: { ...file, caption: 'my receipt' } },
      'image',
      { ...shown, caption: 'my receipt' },
    ],
    ['video', { video: file }, 'video', shown],
    [
      'audio',
      { audio: { ...file, mime_type: 'audio/ogg; codecs=opus', voice: true } },
      'audio',
      { ...shown, mime_type: 'audio/ogg; codecs=opus', voice: true },
    ],
    ['audio', { audio: file }, 'audio', { ...shown, voice: false }],
    ['voice', { voice: file }, 'audio', { ...shown, voice: true }],
    [
      'document',
      { document: { ...file, filename: 'Currículum.pdf', file_size: '12' } },
      'document',
      { ...shown, filename: 'Currículum.pdf', size_bytes: 12 },
    ],
    ['sticker', { sticker: { ...file, animated: true } }, 'sticker', { ...shown, animated: true }],
  ])('of type %s %j keeps its file', (platformType, members, type, content) => {
    const read = readContent(messageOf(platformType, members))
    expect(read).toMatchObject({
      type,
      content,
      media: { platformMediaId: file.id, sha256: file.sha256 },
    })
    expect(Object.keys(read.content).toSorted()).toEqual(Object.keys(content).toSorted())
  })

  test('without an ID has no file', () => {
    expect(readContent(messageOf('image', { image: { caption: 'gone' } }))).toMatchObject({
      type: 'image',
      content: { caption: 'gone' },
      media: null,
    })
    expect(readContent(messageOf('image', {}))).toMatchObject({ type: 'image', media: null })
  })
})

describe('location', () => {
  test('keeps its coordinates, also from texts', () => {
    expect(
      contentOf('location', { location: { latitude: '37.4', longitude: -122.1, name: 'HQ' } }),
    ).toEqual({
      latitude: 37.4,
      longitude: -122.1,
      name: 'HQ',
      address: null,
      url: null,
    })
  })

  test.each([
    [{ location: { latitude: 'north', longitude: 1 } }, 1],
    [{ location: 7 }, null],
    [{}, null],
  ])('%j has no coordinates if they cannot be read', (members, longitude) => {
    expect(readContent(messageOf('location', members))).toMatchObject({
      type: 'location',
      content: { latitude: null, longitude },
    })
  })
})

describe('contacts', () => {
  test('keep names, numbers and IDs', () => {
    const card = {
      name: { formatted_name: 'Lu', first_name: 'Lu' },
      phones: [{ phone: '+1 555', wa_id: 1555, type: 'MOBILE' }],
      origin: 'contact_request',
      vcard: 'FN:Other',
    }
    expect(contentOf('contacts', { contacts: [card] })).toEqual({
      contacts: [
        {
          name: { formatted_name: 'Lu', first_name: 'Lu' },
          phones: [{ phone: '+1 555', type: 'MOBILE', wa_id: '1555' }],
          emails: [],
          addresses: [],
          urls: [],
          org: {},
          birthday: null,
          origin: 'contact_request',
          vcard: 'FN:Other',
        },
      ],
    })
  })

  test.each([
    [{ name: { first_name: 'Lu', last_name: 'Go' } }, 'Lu Go'],
    [{ phones: [{ phone: '+1 555' }, { wa_id: '1666' }] }, '+1 555, 1666'],
    [{ vcard: 'BEGIN:VCARD\nFN:Lu Go\nEND:VCARD' }, 'Lu Go'],
    [
      {
        name: {},
        vcard: 'item1.fn;LANGUAGE=es:Lu\\, Go\r\nN:Other;;;;',
        phones: [{ phone: '+1 555' }],
      },
      'Lu, Go',
    ],
    [{ vcard: 'FN:\nN:Go;Lu;M.;Dr.;' }, 'Dr. Lu M. Go'],
    [
      { vcard: 'VERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Luc=C3=AD=\na=20Go 5%' },
      'Lucía Go 5%',
    ],
    [{ vcard: 'FN;ENCODING=QUOTED-PRINTABLE:Lu=C3=AD-=\nGo\nTEL:+1' }, 'Luí-Go'],
    [{ vcard: 'PHOTO;ENCODING=BASE64:QQ=\nFN:Lu Go' }, 'Lu Go'],
    [{ vcard: 'FN;LABEL="a;b:c";LANGUAGE=es:Lu Go' }, 'Lu Go'],
    [{ vcard: 'FN;ENCODING=QUOTED-PRINTABLE:Lu=ZZ=FF' }, 'Lu=ZZ=FF'],
    [{ vcard: 'NOTE:FN:Lu', phones: [{ phone: '+1 555' }] }, '+1 555'],
    [{ vcard: {} }, ''],
    [{}, ''],
    [null, ''],
  ])('%j get the name %p', (card, name) => {
    expect(contentOf('contacts', { contacts: [card] })).toMatchObject({
      contacts: [{ name: { formatted_name: name } }],
    })
  })

  test('that are not a list become unsupported', () => {
    expect(readContent(messageOf('contacts', { contacts: {} })).type).toBe('unsupported')
  })
})

describe('interactive replies', () => {
  test.each([
    [
      { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      { kind: 'button_reply', id: 'yes', title: 'Yes', description: null },
    ],
    [
      { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'first' } },
      { kind: 'list_reply', id: 'a', title: 'A', description: 'first' },
    ],
    [
      { button_reply: { id: 7, title: 'Yes' } },
      { kind: 'button_reply', id: '7', title: 'Yes', description: null },
    ],
    [
      {
        type: 'nfm_reply',
        nfm_reply: {
          name: 'flow',
          body: 'Sent',
          response_json: '{"flow_token":"tok","rating":"5"}',
        },
      },
      {
        kind: 'flow_reply',
        flow_id: null,
        flow_token: 'tok',
        data: { flow_token: 'tok', rating: '5' },
        data_raw: null,
        body: 'Sent',
      },
    ],
    [
      { type: 'nfm_reply', nfm_reply: { response_json: '[1]' } },
      {
        kind: 'flow_reply',
        flow_id: null,
        flow_token: null,
        data: null,
        data_raw: '[1]',
        body: null,
      },
    ],
    [
      { type: 'nfm_reply', nfm_reply: { response_json: '{broken' } },
      {
        kind: 'flow_reply',
        flow_id: null,
        flow_token: null,
        data: null,
        data_raw: '{broken',
        body: null,
      },
    ],
    [
      { type: 'nfm_reply', nfm_reply: { response_json: null } },
      {
        kind: 'flow_reply',
        flow_id: null,
        flow_token: null,
        data: null,
        data_raw: null,
        body: null,
      },
    ],
    [
      {
        type: 'nfm_reply',
        nfm_reply: { name: 'address_message', response_json: '{"values":{"city":"X"}}' },
      },
      { kind: 'address_reply', data: { values: { city: 'X' } }, data_raw: null },
    ],
    [
      {
        type: 'call_permission_reply',
        call_permission_reply: { response: 'accept', expiration_timestamp: 1790600000 },
      },
      { kind: 'call_permission_reply', response: 'accept', expires_at: '2026-09-28T12:53:20.000Z' },
    ],
    [
      { type: 'poll_reply', poll_reply: { id: 1 } },
      { kind: 'other', raw: { type: 'poll_reply', poll_reply: { id: 1 } } },
    ],
    [{ type: 'button_reply' }, { kind: 'other', raw: { type: 'button_reply' } }],
    [undefined, { kind: 'other', raw: {} }],
  ])('%j are read by kind', (interactive, content) => {
    expect(readContent(messageOf('interactive', { interactive }))).toEqual({
      type: 'interactive',
      content,
      media: null,
    })
  })

  test.each([
    [
      { payload: 'ORDER_YES', text: 'Yes' },
      { payload: 'ORDER_YES', title: 'Yes' },
    ],
    [{ text: 'Yes' }, { payload: 'Yes', title: 'Yes' }],
    [undefined, { payload: null, title: null }],
  ])('a template button %j keeps payload and title', (button, content) => {
    expect(readContent(messageOf('button', { button }))).toMatchObject({
      type: 'interactive',
      content: { kind: 'template_button', ...content },
    })
  })
})

describe('orders', () => {
  const item = (quantity: unknown, price: unknown, currency = 'USD') => ({
    product_retailer_id: 'sku',
    quantity,
    item_price: price,
    currency,
  })

  test.each([
    [[item(2, 30)], 60, 'USD'],
    [[item('3', '0.1')], 0.3, 'USD'],
    [[item(1, 1), item(1, 2, 'EUR')], null, null],
    [[item(2, undefined)], null, 'USD'],
    [[item(1, 1), item(null, 2)], null, 'USD'],
    [[item(1, 1), 'garbled'], null, null],
    [[], null, null],
  ])('%j total %p %p', (product_items, total, currency) => {
    expect(
      contentOf('order', { order: { catalog_id: 401, text: '', product_items } }),
    ).toMatchObject({
      catalog_id: '401',
      text: null,
      total,
      currency,
    })
  })

  test('without an object become unsupported', () => {
    expect(readContent(messageOf('order')).type).toBe('unsupported')
  })
})

describe('system messages', () => {
  test.each([
    [
      'user_changed_number',
      { wa_id: '15550108888' },
      'number_changed',
      '15550109999',
      '15550108888',
    ],
    [
      'customer_changed_number',
      { new_wa_id: '15550108888' },
      'number_changed',
      '15550109999',
      '15550108888',
    ],
    [
      'user_changed_user_id',
      { user_id: 'US.2', wa_id: '15550108888' },
      'user_id_changed',
      USER,
      'US.2',
    ],
    ['user_changed_user_id', { user_id: USER }, 'user_id_changed', null, USER],
    ['something_new', {}, 'other', null, null],
  ])('of type %s %j give the event %s', (type, members, event, before, after) => {
    const message = messageOf(
      'system',
      { system: { type, body: 'It changed.', ...members } },
      { userId: USER },
    )
    expect(readContent(message)).toEqual({
      type: 'system',
      content: { event, text: 'It changed.', old: before, new: after },
      media: null,
    })
  })

  test('report a changed security code with its hash', () => {
    const message = messageOf('system', {
      identity: { hash: 'Df2l=' },
      system: { type: 'customer_identity_changed', body: 'b' },
    })
    expect(readContent(message).content).toEqual({
      event: 'identity_changed',
      text: 'b',
      old: null,
      new: 'Df2l=',
    })
    expect(contentOf('system', { identity: { hash: 'Df2l=' } })).toMatchObject({
      event: 'identity_changed',
      text: null,
    })
  })

  test('report several new identities together', () => {
    const system = {
      type: 'user_changed_user_id',
      user_id: 'US.2',
      parent_user_id: 'US.ENT.3',
      wa_id: '15550108888',
    }
    expect(systemChangeOf(messageOf('system', { system }))).toEqual({
      event: 'user_id_changed',
      formerUserId: null,
      formerParentUserId: null,
      newPhone: '15550108888',
      newUserId: 'US.2',
      newParentUserId: 'US.ENT.3',
      identityHash: null,
    })
    expect(systemChangeOf(messageOf('text', { system }))).toBeNull()
  })
})

describe('other messages', () => {
  test.each([
    'unsupported',
    'unknown',
    'request_welcome',
    'reaction',
    'revoke',
    'constructor',
    '__proto__',
    '',
  ])('%p becomes unsupported and keeps the raw item', (type) => {
    const errors = [{ code: 131051, title: 't', message: null, details: null, href: null }]
    const message = messageOf(type, { poll: { q: 'a\0' } }, { errors })
    expect(readContent(message)).toEqual({
      type: 'unsupported',
      content: {
        platform_type: type,
        text: null,
        errors,
        raw: { from: '15550109999', type, poll: { q: 'a' } },
      },
      media: null,
    })
  })

  test('any message is read without an exception, and all texts can be stored', () => {
    const types = fc.constantFrom(
      'text',
      'image',
      'audio',
      'voice',
      'location',
      'contacts',
      'button',
      'interactive',
      'order',
      'system',
      'poll',
    )
    fc.assert(
      fc.property(types, fc.jsonValue(), fc.string({ unit: 'binary' }), (type, value, key) => {
        for (const member of [
          value,
          { [key]: value },
          { type: 'nfm_reply', nfm_reply: value },
          [value],
          { product_items: value },
        ]) {
          const { type: ours, content } = readContent(messageOf(type, { [type]: member }))
          expect(JSON.stringify(content)).not.toContain('\\u0000')
          expect([...messagePreview(ours, content)].length).toBeLessThanOrEqual(100)
        }
      }),
    )
  })

  test('excessive nesting neither fails nor is stored', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(JSON.stringify(contentOf('poll', { poll: deep })).length).toBeLessThan(300)
  })
})

describe('previews', () => {
  test.each([
    ['text', { text: 'hi' }, 'hi'],
    ['text', { text: null }, ''],
    ['image', { caption: 'my receipt' }, 'my receipt'],
    ['image', {}, 'Photo'],
    ['document', { filename: 'a.pdf' }, 'a.pdf'],
    ['audio', { voice: true }, 'Voice message'],
    ['audio', {}, 'Audio'],
    ['location', { name: 'HQ' }, 'HQ'],
    [
      'contacts',
      { contacts: [{ name: { formatted_name: 'Lu' } }, { name: { formatted_name: 'Bo' } }] },
      'Lu, Bo',
    ],
    ['interactive', { kind: 'button_reply', title: 'Yes' }, 'Yes'],
    ['interactive', { kind: 'button', body: 'Confirm?' }, 'Confirm?'],
    ['interactive', { kind: 'flow_reply', body: null }, 'Form response'],
    ['template', { body: 'Hello Ana' }, 'Hello Ana'],
    ['order', { items: [1, 2] }, 'Order (2)'],
    ['system', { text: 'It changed.' }, 'It changed.'],
    ['unsupported', {}, 'Unsupported message'],
    ['unsupported', { platform_type: 'unsupported' }, 'Unsupported message'],
    ['unsupported', { platform_type: 'unknown' }, 'Unsupported message'],
    ['unsupported', { platform_type: 'poll' }, 'Unsupported message: poll'],
    ['anything', {}, 'Unsupported message'],
  ])('%s %j is shown as %p', (type, content, preview) => {
    expect(messagePreview(type, content)).toBe(preview)
  })

  test('are cut between code points', () => {
    expect(messagePreview('text', { text: '🍕'.repeat(150) })).toBe('🍕'.repeat(100))
    expect(messagePreview('text', { text: `a${'🍕'.repeat(150)}` })).toBe(`a${'🍕'.repeat(99)}`)
    expect(messagePreview('text', { text: 'x'.repeat(101) })).toBe('x'.repeat(100))
  })
})
