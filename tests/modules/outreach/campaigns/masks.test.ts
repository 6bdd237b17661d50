import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { personWith } from '../../../support/people'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  const admin = await fixture.world.as('admin')
  expect(
    (await admin.put('/api/organizations/settings', { mask_phone_numbers: true })).status,
  ).toBe(200)
})

afterAll(() => fixture.world.stop())

const NUMBER = '15550491234'

test('masks phone numbers in imported values and errors', async () => {
  const [told, refused] = ['15550492222', '15550493333']
  const id = await fixture.draftFor([String(refused)])
  await fixture.do(id, 'recipients/import', {
    recipients: [{ phone_number: told, template_params: { '1': '+1 (555) 049-2222' } }],
  })
  fixture.world.simulator.fail(
    { code: 131_009, details: `The parameter to=${refused} is not valid` },
    { recipient: String(refused), times: 5 },
  )
  await fixture.do(id, 'start')
  await fixture.run(id)
  const blind = await personWith(fixture.world, [
    'contacts:read',
    'contacts:read_all',
    'campaigns:read',
  ])
  const { data } = await blind.client.get(`/api/campaigns/${id}/recipients`)
  const shown = data['items'] as Loose[]
  expect(
    shown.find(({ template_params: params }) => '1' in (params as Loose))?.['template_params'],
  ).toEqual({ '1': '+* (***) ***-2222' })
  expect(shown.find(({ status }) => status === 'failed')?.['error']).toMatchObject({
    details: 'The parameter to=*******3333 is not valid',
  })
  const clear = await fixture.recipients(id)
  expect(JSON.stringify(clear)).toContain('+1 (555) 049-2222')
  expect(JSON.stringify(clear)).toContain(`to=${refused}`)
})

test('masks phone numbers in searches, campaigns and their messages', async () => {
  const contact = await fixture.world.contactOf(fixture.world.tenant, 'hi', NUMBER)
  const id = await fixture.draftFor([NUMBER, '15550495678'], {
    variable_mapping: { '1': { field: 'phone_number', default: 'you' } },
  })
  const blind = await personWith(fixture.world, [
    ...[
      'contacts:read',
      'contacts:read_all',
      'campaigns:read',
      'campaigns:create',
      'messages:read',
      'templates:read',
    ],
  ])
  const found = async (typed: string): Promise<number> =>
    (await blind.client.get(`/api/campaigns/${id}/recipients?search=${encodeURIComponent(typed)}`))
      .data['total'] as number
  expect(
    await Promise.all([NUMBER, '1555049', '155504912', '+1 555', '0491', '1234', '34'].map(found)),
  ).toEqual([0, 0, 0, 0, 0, 1, 1])
  const { data: trial } = await blind.client.post(`/api/campaigns/${id}/dry-run`)
  expect(JSON.stringify(trial['samples'])).toContain('*******1234')
  expect(JSON.stringify(trial)).not.toContain('15550')
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  // The customer got the number as it is.
  expect(JSON.stringify(fixture.world.simulator.messages)).toContain(`"text":"${NUMBER}"`)
  for (const path of [
    `/api/contacts/${contact['id']}`,
    `/api/contacts/${contact['id']}/messages`,
    '/api/contacts',
    '/api/conversations',
    '/api/messages/search?q=news',
    `/api/campaigns/${id}/recipients`,
  ]) {
    const { status, body } = await blind.client.get(path)
    expect([path, status, JSON.stringify(body).includes('1555049')]).toEqual([path, 200, false])
  }
  // Nor does a search tell that a number is the one that was guessed.
  const hits = async (typed: string, by = blind.client): Promise<number> =>
    ((await by.get(`/api/messages/search?q=${encodeURIComponent(typed)}`)).data['items'] as Loose[])
      .length
  expect(
    await Promise.all(
      [NUMBER, '155504912', `"${NUMBER}"`, '1555049*', `news ${NUMBER}`].map((typed) =>
        hits(typed),
      ),
    ),
  ).toEqual([0, 0, 0, 0, 0])
  expect([await hits('news'), await hits(NUMBER, await fixture.world.as('admin'))]).toEqual([4, 1])
  const { data: chat } = await blind.client.get(`/api/contacts/${contact['id']}/messages`)
  const [said] = (chat['items'] as Loose[]).filter(({ type }) => type === 'template')
  expect(said?.['content']['body']).toContain('*******1234')
  // Callers who may see numbers read the message as it was sent.
  const { data: open } = await (
    await fixture.world.as('admin')
  ).get(`/api/contacts/${contact['id']}/messages`)
  expect(JSON.stringify(open)).toContain(NUMBER)
})

const SPELLINGS: [what: string, number: string, written: string, shown: string][] = [
  ['inside the country', '4915112345671', '0151 12345671', '**** ****5671'],
  ['with the zero in brackets', '4915112345672', '+49 (0)151 / 12345672', '+** (*)*** / ****5672'],
  [
    'with the zero in brackets, British',
    '447911123473',
    '+44 (0)7911 123473',
    '+** (*)**** **3473',
  ],
  ['with the prefix for calls abroad', '4915112345674', '0049-151-12345674', '****-***-****5674'],
  [
    'with an eight in front, as Russians dial',
    '79123456775',
    '8 (912) 345-67-75',
    '* (***) ***-67-75',
  ],
  [
    'with fifteen after the area, as Argentines dial',
    '5491123456776',
    '011 15-2345-6776',
    '*** **-****-6776',
  ],
  [
    'without the nine, as old Brazilian numbers',
    '5511987654377',
    '(11) 8765-4377',
    '(**) ****-4377',
  ],
  ['without the area', '15550491278', '049-1278', '***-1278'],
]
for (const [what, number, written, shown] of SPELLINGS)
  test(`masks the recipient's phone number in filled values: ${what}`, async () => {
    const id = await fixture.draft()
    const told = `${written} or 5550001`
    const { data: brought } = await fixture.do(id, 'recipients/import', {
      recipients: [{ phone_number: `+${number}`, template_params: { '1': told } }],
    })
    expect(brought).toMatchObject({ imported: 1 })
    const blind = await personWith(fixture.world, [
      ...[
        'contacts:read',
        'contacts:read_all',
        'contacts:export',
        'campaigns:read',
        'messages:read',
      ],
    ])
    await fixture.do(id, 'start')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
    const [recipient] = (await blind.client.get(`/api/campaigns/${id}/recipients`)).data[
      'items'
    ] as Loose[]
    const messages = (await blind.client.get(`/api/contacts/${recipient?.['contact_id']}/messages`))
      .data['items'] as Loose[]
    const hidden = `${shown} or 5550001`
    // Another number than the recipient's stays, for it is what somebody wrote.
    expect(recipient?.['template_params']).toEqual({ '1': hidden })
    expect(messages[0]?.['content']['body']).toBe(`Hello ${hidden}, we have news for you today.`)
    const transcript = await fetchRaw(
      blind.client,
      `/api/conversations/${messages[0]?.['conversation_id']}/transcript?format=csv`,
    )
    expect(await transcript.text()).toContain(`Hello ${hidden}, we have news`)
    expect((await fixture.recipients(id))[0]?.['template_params']).toEqual({ '1': told })
  })

test('shows the number of an unnamed contact of an audience to those who see numbers', async () => {
  const manager = await fixture.manager
  const number = '15550494444'
  await manager.post('/api/contacts', { phone_number: number, tags: ['unnamed'] })
  const { data: tags } = await manager.get('/api/tags?search=unnamed')
  const id = await fixture.draft({ audience: { tag_ids: [(tags['items'] as Loose[])[0]?.['id']] } })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  expect(await fixture.recipients(id)).toMatchObject([{ name: number, phone_number: number }])
  const blind = await personWith(fixture.world, [
    ...['contacts:read', 'contacts:read_all', 'campaigns:read'],
  ])
  const { data } = await blind.client.get(`/api/campaigns/${id}/recipients`)
  expect(JSON.stringify(data)).not.toContain(number)
})
