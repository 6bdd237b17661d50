import { expect, test } from 'bun:test'
import * as payloads from '../../src/simulator/payloads'

const original = 'wamid.QQ=='
const built: [string, payloads.Webhook, Record<string, unknown>][] = [
  ['an edit', payloads.edit(original, 'b'), { messages: [{ type: 'edit' }] }],
  [
    'an unsupported message',
    payloads.unsupported('poll'),
    { messages: [{ type: 'unsupported', errors: [{ code: 131051 }] }] },
  ],
  ['errors of the account', payloads.valueErrors(130429), { errors: [{ code: 130429 }] }],
  [
    'another user id',
    payloads.systemUserIdChanged('US.2'),
    { messages: [{ type: 'system', system: { type: 'user_changed_user_id', user_id: 'US.2' } }] },
  ],
  [
    'a status with an error',
    payloads.statusChange(original, 'failed', {
      error: { code: 131026, title: 'Undeliverable', details: 'x' },
    }),
    {
      statuses: [
        {
          id: original,
          status: 'failed',
          errors: [{ code: 131026, error_data: { details: 'x' } }],
        },
      ],
    },
  ],
  [
    'a status of a group',
    payloads.statusChange(original, 'read', { recipientId: 'Y2Fw', participant: '15550107777' }),
    {
      statuses: [
        { recipient_id: 'Y2Fw', recipient_type: 'group', recipient_participant_id: '15550107777' },
      ],
    },
  ],
  [
    'a message of a type to come',
    payloads.message({ type: 'hologram', hologram: {} }),
    { messages: [{ type: 'hologram' }] },
  ],
  [
    'a text in a group',
    payloads.textMessage('hi', { groupId: 'Y2Fw' }),
    { messages: [{ group_id: 'Y2Fw' }] },
  ],
]

test.each(built.map(([name, webhook, value]) => ({ name, webhook, value })))(
  "$name has the platform's structure",
  ({ webhook, value }) => {
    expect(webhook).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [{ changes: [{ field: 'messages', value }] }],
    })
  },
)

test.each<[payloads.NamedBy, object]>([
  ['nothing', {}],
  ['new_id_in_contacts', { contacts: [{ profile: { name: 'Ana Sol' }, user_id: 'US.2' }] }],
  ['new_id_as_sender', { from_user_id: 'US.2' }],
  ['former_id_as_sender', { from_user_id: payloads.defaultPerson.userId }],
  ['number', { from: payloads.defaultPerson.waId }],
])('another user ID named by %s tells exactly that', (named, told) => {
  const webhook = payloads.systemUserIdChanged('US.2', { id: 'wamid.1' }, named)
  const { contacts, ...sender } = told as Record<string, unknown>
  const former = payloads.defaultPerson.userId
  expect(webhook.entry[0]?.changes[0]?.value).toEqual({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100001', phone_number_id: '301000000000001' },
    ...(contacts === undefined ? {} : { contacts }),
    messages: [
      {
        ...sender,
        id: 'wamid.1',
        timestamp: '1790000000',
        type: 'system',
        system: {
          body: `User Ana Sol changed from ${former} to US.2`,
          user_id: 'US.2',
          ...(named === 'number' ? {} : { previous_user_id: former }),
          type: 'user_changed_user_id',
        },
      },
    ],
  })
})

test('a webhook of another field carries its time and no metadata', () => {
  const webhook = payloads.envelope(
    { event: 'APPROVED' },
    { field: 'message_template_status_update', time: 1_790_000_400 },
  )
  expect(webhook.entry).toEqual([
    {
      id: '201000000000001',
      time: 1_790_000_400,
      changes: [{ value: { event: 'APPROVED' }, field: 'message_template_status_update' }],
    },
  ])
})

test('several webhooks can be combined into one, also of several accounts', () => {
  const line = { wabaId: '202', phoneNumberId: '302', displayPhoneNumber: '15550100002' }
  const webhook = payloads.combine(payloads.batch(2), payloads.textMessage('c', { line }))
  expect(webhook.entry.map((entry) => entry.id)).toEqual([payloads.defaultNumber.wabaId, '202'])
})

test('generated messages have unique IDs', () => {
  const ids = new Set(Array.from({ length: 100 }, () => payloads.newMessageId()))
  expect(ids.size).toBe(100)
})
