import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import {
  MAX_CHANGES,
  WebhookBody,
  profileFor,
  readChanges,
  readValueErrors,
} from '../../src/platform/webhook/body'
import { readStatuses } from '../../src/platform/webhook/statuses'
import { readMessages } from '../../src/platform/webhook/messages'
import type { BrokenItem } from '../../src/platform/webhook/body'
import type { InboundStatus } from '../../src/platform/webhook/statuses'
import type { InboundMessage } from '../../src/platform/webhook/messages'

const USER = 'US.90000000000000000001'
const PARENT = 'US.ENT.80000000000000000001'
const METADATA = { display_phone_number: '15550100001', phone_number_id: '301000000000001' }
const CONTACTS = [{ profile: { name: 'Ana Sol' }, wa_id: '15550109999', user_id: USER }]

const bodyOf = (...changes: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '201000000000001', changes }],
})
const text = (more: object = {}) => ({
  from: '15550109999',
  id: 'wamid.T1',
  timestamp: '1790000000',
  type: 'text',
  text: { body: 'hi' },
  ...more,
})

/** Returns the only message of a value. Throws if it is broken. */
function messageOf(item: object, contacts: unknown = CONTACTS): InboundMessage {
  const [message] = readMessages({ metadata: METADATA, contacts, messages: [item] })
  if (message === undefined || 'broken' in message) throw new Error('The message is broken.')
  return message
}

function statusOf(item: object): InboundStatus {
  const [status] = readStatuses({ statuses: [item] })
  if (status === undefined || 'broken' in status) throw new Error('The status is broken.')
  return status
}

const wordsOf = (items: ReadonlyArray<object | BrokenItem>) =>
  items.map((item) => ('broken' in item ? item.broken : 'fine'))

describe('the changes of a body', () => {
  test('are all changes of all entries with position, account, number and time', () => {
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '201',
          time: 1790000000,
          changes: [
            { field: 'messages', value: { metadata: METADATA, messages: [] } },
            { field: 'flows', value: { a: 1 } },
          ],
        },
        { id: 202, time: '1790000001', changes: [{ field: 'account_update', value: null }] },
      ],
    }
    expect(readChanges(body)).toEqual([
      {
        entryIndex: 0,
        changeIndex: 0,
        businessId: '201',
        entryTime: 1790000000000,
        field: 'messages',
        phoneNumberId: '301000000000001',
        value: { metadata: METADATA, messages: [] },
      },
      {
        entryIndex: 0,
        changeIndex: 1,
        businessId: '201',
        entryTime: 1790000000000,
        field: 'flows',
        phoneNumberId: null,
        value: { a: 1 },
      },
      {
        entryIndex: 1,
        changeIndex: 0,
        businessId: '202',
        entryTime: 1790000001000,
        field: 'account_update',
        phoneNumberId: null,
        value: null,
      },
    ])
  })

  test.each(['messages', 'statuses', 'errors'])(
    'without a field count as messages if the value has %s',
    (member) => {
      expect(readChanges(bodyOf({ value: { [member]: [] } }))).toMatchObject([
        { field: 'messages' },
      ])
    },
  )

  test('without a field stay without one otherwise', () => {
    expect(readChanges(bodyOf({ value: { other: [] } }))).toMatchObject([{ field: null }])
  })

  test('that are not objects are kept as values', () => {
    expect(readChanges(bodyOf(7, null, { field: 'messages' }))).toMatchObject([
      { changeIndex: 0, field: null, value: 7 },
      { changeIndex: 1, field: null, value: null },
      { changeIndex: 2, field: 'messages', value: undefined },
    ])
  })

  test('are empty for an invalid body', () => {
    for (const body of [
      null,
      undefined,
      1,
      'text',
      [],
      {},
      { entry: {} },
      { entry: [null, 5, {}] },
      { entry: [{ changes: 'x' }] },
    ])
      expect(readChanges(body)).toEqual([])
  })

  test('accept a numeric phone number ID as text', () => {
    expect(
      readChanges(bodyOf({ field: 'messages', value: { metadata: { phone_number_id: 301 } } })),
    ).toMatchObject([{ phoneNumberId: '301' }])
  })

  test('stop at the limit', () => {
    const changes = Array.from({ length: MAX_CHANGES + 5 }, () => ({
      field: 'messages',
      value: {},
    }))
    expect(readChanges(bodyOf(...changes))).toHaveLength(MAX_CHANGES)
    expect(readChanges({ entry: changes.map((change) => ({ changes: [change] })) })).toHaveLength(
      MAX_CHANGES,
    )
  })

  test('never throw for any body', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (a, b, c) => {
        for (const body of [
          a,
          { entry: a },
          { entry: [{ id: a, time: b, changes: c }] },
          bodyOf({ field: a, value: b }, { field: a, value: { metadata: c } }),
        ])
          for (const { value } of readChanges(body)) {
            readMessages(value)
            readStatuses(value)
            readValueErrors(value)
          }
      }),
    )
  })

  test('the documented body matches its schema', () => {
    expect(
      Value.Check(
        WebhookBody,
        bodyOf({ field: 'messages', value: { metadata: METADATA, messages: [text()] } }),
      ),
    ).toBeTrue()
    expect(Value.Check(WebhookBody, { object: 'whatsapp_business_account' })).toBeFalse()
  })
})

describe('a message', () => {
  test('is read with its sender, time, reference and profile', () => {
    const raw = text({
      from_user_id: USER,
      from_parent_user_id: PARENT,
      group_id: 'Y2Fw',
      context: { from: '15550100001', id: 'wamid.OUT' },
    })
    expect(messageOf(raw)).toEqual({
      waMessageId: 'wamid.T1',
      from: '15550109999',
      userId: USER,
      parentUserId: PARENT,
      timestampMs: 1790000000000,
      type: 'text',
      context: {
        wa_message_id: 'wamid.OUT',
        from: '15550100001',
        forwarded: false,
        frequently_forwarded: false,
        referred_product: null,
      },
      referral: null,
      groupId: 'Y2Fw',
      errors: [],
      profileName: 'Ana Sol',
      username: null,
      raw,
    })
  })

  test('may contain numbers instead of texts', () => {
    expect(messageOf(text({ from: 15550109999, id: 12, timestamp: 1790000000 }))).toMatchObject({
      waMessageId: '12',
      from: '15550109999',
      timestampMs: 1790000000000,
      profileName: 'Ana Sol',
    })
  })

  test.each([
    ['missing', undefined, null],
    ['empty', '', null],
    ['words', 'TIMESTAMP', null],
    ['negative', '-5', null],
    ['zero', 0, null],
    ['beyond any date', 9e15, null],
    ['an object', {}, null],
    ['a fraction', '1790000000.5', 1790000000500],
  ])('reads the time %s', (_name, timestamp, timestampMs) => {
    expect(messageOf(text({ timestamp })).timestampMs).toBe(timestampMs)
  })

  test.each([
    ['a plus and spaces', '+1 555 010 9999', '15550109999', null, null],
    ['a user id', USER, null, USER, null],
    ['a parent user id', PARENT, null, null, PARENT],
  ])('reads a "from" that is %s', (_name, from, phone, userId, parentUserId) => {
    expect(messageOf(text({ from }), [])).toMatchObject({ from: phone, userId, parentUserId })
  })

  test('from a person without a phone number is complete', () => {
    const contacts = [
      { profile: { name: 'Ana Sol', username: '@ana.sol' }, user_id: USER, parent_user_id: PARENT },
    ]
    expect(messageOf(text({ from: undefined, from_user_id: USER }), contacts)).toMatchObject({
      from: null,
      userId: USER,
      parentUserId: PARENT,
      profileName: 'Ana Sol',
      username: 'ana.sol',
    })
  })

  test.each([
    ['is missing', {}],
    ['is a placeholder', { from: 'PHONE_NUMBER' }],
    ['is too short', { from: '123' }],
    ['is a malformed user id', { from_user_id: 'us.90' }],
    ['is an object', { from: { wa_id: '15550109999' } }],
  ])('whose sender %s is broken, without guessing', (_name, sender) => {
    const raw = { ...text({ from: undefined }), ...sender }
    expect(readMessages({ contacts: CONTACTS, messages: [raw] })).toEqual([
      { broken: 'no_sender', raw },
    ])
  })

  const CHANGE = { type: 'user_changed_user_id', user_id: 'US.2' }
  const sentence = (words: string) => ({ ...CHANGE, body: `User Ana changed from ${words}` })
  test.each<[string, object, object[], object]>([
    [
      'by its former ID',
      { system: { ...CHANGE, previous_user_id: 'US.1' } },
      [],
      { userId: 'US.1' },
    ],
    [
      'by its former ID and parent ID, although it is from the new one',
      {
        from_user_id: 'US.2',
        from_parent_user_id: 'US.ENT.2',
        system: { ...CHANGE, previous_user_id: 'US.1', previous_parent_user_id: 'US.ENT.1' },
      },
      [],
      { userId: 'US.1', parentUserId: 'US.ENT.1' },
    ],
    [
      'by its former number',
      { from: '15550108888', system: { ...CHANGE, previous_wa_id: '15550107777' } },
      [],
      { from: '15550107777' },
    ],
    ['by the ID in the text', { system: sentence('US.1 to US.2.') }, [], { userId: 'US.1' }],
    [
      'by the end of the text, whatever name the person chose',
      { system: sentence('US.9 to US.2 changed from US.1 to US.2') },
      [],
      { userId: 'US.1' },
    ],
    [
      'not by a text about another ID',
      { system: sentence('US.1 to US.3') },
      [],
      { broken: 'no_sender' },
    ],
    [
      'not by a text about something else',
      { from: '15550108888', system: sentence('red to US.2') },
      [],
      { from: '15550108888', userId: null },
    ],
    ['by the only contact', { system: CHANGE }, [{ user_id: 'US.2' }], { userId: 'US.2' }],
    [
      'by its former ID, completed by the only contact',
      { system: { ...CHANGE, previous_user_id: 'US.1' } },
      [{ user_id: 'US.2', wa_id: '15550108888', profile: { name: 'Ana' } }],
      { from: '15550108888', userId: 'US.1', profileName: 'Ana' },
    ],
    [
      'not by one of two contacts',
      { system: CHANGE },
      [{ user_id: 'US.2' }, { user_id: 'US.3' }],
      { broken: 'no_sender' },
    ],
  ])('about a changed ID names its person %s', (_name, members, contacts, expected) => {
    const raw = { id: 'wamid.S', timestamp: '1790000000', type: 'system', ...members }
    expect(readMessages({ contacts, messages: [raw] })).toMatchObject([expected])
  })

  test('about a changed ID is not named by the only contact beside another message', () => {
    const raw = { id: 'wamid.S', type: 'system', system: CHANGE }
    expect(readMessages({ contacts: CONTACTS, messages: [text(), raw] })).toMatchObject([
      { profileName: 'Ana Sol' },
      { broken: 'no_sender' },
    ])
  })

  test('that is malformed does not affect others', () => {
    expect(
      wordsOf(
        readMessages({
          messages: [text(), 7, null, [], 'x', { id: 'a' }, text({ id: undefined })],
        }),
      ),
    ).toEqual([
      'fine',
      'not_an_object',
      'not_an_object',
      'not_an_object',
      'not_an_object',
      'no_sender',
      'fine',
    ])
    expect(messageOf(text({ id: undefined })).waMessageId).toBeNull()
  })

  test.each([
    ['text', { text: { body: 'x' } }],
    ['location', { location: { latitude: 1, longitude: 2 } }],
    ['contacts', { contacts: [] }],
    ['image', { image: { id: '1' } }],
    ['interactive', { context: { id: 'w' }, interactive: {} }],
    ['system', { system: {} }],
    ['unknown', { text: 'x' }],
    ['unknown', {}],
  ])('without a type is inferred as %s from its members', (type, members) => {
    expect(messageOf({ from: '15550109999', ...members }).type).toBe(type)
  })

  test('keeps all its errors, with details from any of their fields', () => {
    const errors = [
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'm',
        error_data: { details: 'nested' },
        href: 'https://example.com',
      },
      { code: '131052', title: 't', details: 'flat' },
      { error_data: 'plain' },
      'no error',
    ]
    expect(messageOf(text({ errors })).errors).toEqual([
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'm',
        details: 'nested',
        href: 'https://example.com',
      },
      { code: 131052, title: 't', message: null, details: 'flat', href: null },
      { code: null, title: null, message: null, details: 'plain', href: null },
    ])
  })

  test.each([
    [{ forwarded: true }, { forwarded: true, frequently_forwarded: false, wa_message_id: null }],
    [
      { frequently_forwarded: true, id: 'w' },
      { forwarded: false, frequently_forwarded: true, wa_message_id: 'w' },
    ],
    [
      { id: 'w', referred_product: { catalog_id: 4, product_retailer_id: 'sku' } },
      { referred_product: { catalog_id: '4', product_retailer_id: 'sku' } },
    ],
  ])('refers by %j', (context, read) => {
    expect(messageOf(text({ context })).context).toMatchObject(read)
  })

  test('has no reference if its context is empty', () => {
    for (const context of [undefined, null, {}, 'w', []])
      expect(messageOf(text({ context })).context).toBeNull()
  })

  test('keeps the advertisement it came from', () => {
    const referral = {
      source_url: 'https://fb.me/x',
      source_id: 12,
      source_type: 'ad',
      headline: 'h',
      body: 'b',
      media_type: 'video',
      video_url: 'v',
      ctwa_clid: 'c',
    }
    expect(messageOf(text({ referral })).referral).toEqual({
      source_type: 'ad',
      source_id: '12',
      source_url: 'https://fb.me/x',
      headline: 'h',
      body: 'b',
      media_type: 'video',
      media_url: 'v',
      ctwa_clid: 'c',
    })
  })
})

describe('profiles', () => {
  const leo = { profile: { name: 'Leo' }, wa_id: 15550107777 }
  const sender = (from: string | null, userId: string | null = null) => ({
    from,
    userId,
    parentUserId: null,
  })

  test('are matched by ID, never by position', () => {
    const messages = [
      text({ id: 'a' }),
      text({ id: 'b', from: '15550107777' }),
      text({ id: 'c', from: '15550101111' }),
    ]
    const read = readMessages({ contacts: [leo, ...CONTACTS], messages })
    expect(
      read.map((message) => ('broken' in message ? message.broken : message.profileName)),
    ).toEqual(['Ana Sol', 'Leo', null])
  })

  test('are found by user ID before phone number', () => {
    const contacts = [
      { profile: { name: 'Old' }, wa_id: '15550109999' },
      { profile: { name: 'New' }, user_id: USER },
    ]
    expect(profileFor(sender('15550109999', USER), { contacts })).toMatchObject({ name: 'New' })
    expect(profileFor(sender('15550109999'), { contacts })).toMatchObject({ name: 'Old' })
  })

  test('are found by a user ID in place of the number', () => {
    expect(
      profileFor(sender(null, USER), { contacts: [{ profile: { name: 'Ana' }, wa_id: USER }] }),
    ).toMatchObject({
      name: 'Ana',
      from: null,
      userId: USER,
    })
  })

  test('may be missing, empty or malformed', () => {
    for (const contacts of [undefined, null, {}, [], [7, null], [{}], [{ wa_id: '15550107777' }]])
      expect(profileFor(sender('15550109999'), { contacts })).toBeNull()
    expect(
      profileFor(sender('15550107777'), { contacts: [{ wa_id: '15550107777', profile: 'x' }] }),
    ).toMatchObject({
      name: null,
      username: null,
    })
  })

  test('are found for each of one thousand messages', () => {
    const numbers = Array.from({ length: 1000 }, (_, n) => String(15550100000 + n))
    const value = {
      contacts: numbers
        .map((number) => ({ wa_id: number, profile: { name: `n${number}` } }))
        .toReversed(),
      messages: numbers.map((from) => text({ from })),
    }
    expect(
      readMessages(value).every(
        (message) => !('broken' in message) && message.profileName === `n${message.from}`,
      ),
    ).toBeTrue()
  })
})

describe('a status', () => {
  test('is read completely', () => {
    const raw = {
      id: 'wamid.OUT',
      status: 'failed',
      timestamp: '1790000104',
      recipient_id: '15550109999',
      recipient_user_id: USER,
      biz_opaque_callback_data: 'msg_1',
      template_id: '1951933648908188',
      pricing: {
        billable: true,
        pricing_model: 'PMP',
        type: 'regular',
        category: 'authentication-international',
      },
      errors: [
        { code: 131026, title: 'Undeliverable' },
        { code: 131047, title: 'Window' },
      ],
    }
    expect(statusOf(raw)).toEqual({
      waMessageId: 'wamid.OUT',
      status: 'failed',
      timestampMs: 1790000104000,
      recipientId: '15550109999',
      recipientUserId: USER,
      participant: null,
      callbackData: 'msg_1',
      errors: [
        { code: 131026, title: 'Undeliverable', message: null, details: null, href: null },
        { code: 131047, title: 'Window', message: null, details: null, href: null },
      ],
      pricing: {
        category: 'authentication-international',
        type: 'regular',
        billable: true,
        pricingModel: 'PMP',
      },
      templateId: '1951933648908188',
      freeEntryUntilMs: null,
      raw,
    })
  })

  test('of a group names the participant', () => {
    expect(
      statusOf({
        id: 'w',
        status: 'read',
        recipient_id: 'Y2Fw',
        recipient_type: 'group',
        recipient_participant_id: 15550109999,
      }),
    ).toMatchObject({
      recipientId: 'Y2Fw',
      participant: '15550109999',
    })
    expect(
      statusOf({ id: 'w', status: 'read', recipient_participant_user_id: USER }).participant,
    ).toBe(USER)
  })

  test('with a user ID in place of the number belongs to that user', () => {
    expect(statusOf({ id: 'w', status: 'sent', recipient_id: USER })).toMatchObject({
      recipientId: null,
      recipientUserId: USER,
    })
  })

  test('with an unknown value is kept', () => {
    expect(
      statusOf({ id: 'w', status: 'teleported', pricing: { category: 'new_one' } }),
    ).toMatchObject({
      status: 'teleported',
      timestampMs: null,
      pricing: { category: 'new_one', type: null, billable: null, pricingModel: null },
    })
  })

  test('without an ID, a status or an object is broken without affecting others', () => {
    expect(
      wordsOf(
        readStatuses({
          statuses: [{ status: 'sent' }, { id: 'w' }, 3, { id: 'w', status: 'sent' }],
        }),
      ),
    ).toEqual(['no_id', 'no_status', 'not_an_object', 'fine'])
  })
})

test('reads the errors of the number from the value', () => {
  expect(
    readValueErrors({
      errors: [{ code: 130429, title: 'Rate limit hit', error_data: { details: '...' } }],
    }),
  ).toEqual([{ code: 130429, title: 'Rate limit hit', message: null, details: '...', href: null }])
  expect(readValueErrors({ errors: 'x' })).toEqual([])
})
