import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

/** Texts that are no id, one of them as long as the bytes of one. */
const TEXTS = ['no id', '0123456789abcdef', '01900000-0000-7000-8000-00000000000g']

let world: World
let manager: Client
let contactId: string

beforeAll(async () => {
  world = await World.create({ tenants: 1 })
  manager = await world.as('admin')
  contactId = String((await world.contactOf())['id'])
})

afterAll(() => world.stop())

const filter = (field: string, op: string, value: unknown): Loose => ({
  filter: { field, op, value },
})

const button = (flow_id: string): Loose[] => [
  { type: 'BODY', text: 'Hello' },
  { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Open', flow_id, navigate_screen: 'A' }] },
]

const CASES: [name: string, status: number, path: () => string, body: (text: string) => Loose][] = [
  [
    'the Flow of a message',
    400,
    () => `/api/contacts/${contactId}/messages`,
    (flow_id) => ({
      type: 'interactive',
      interactive: { type: 'flow', body: 'Hi', button_text: 'Open', flow_id },
    }),
  ],
  [
    'the Flow of a template',
    400,
    () => '/api/templates',
    (text) => ({
      account_id: world.tenant.accountId,
      name: 'with_flow',
      language: 'en',
      category: 'UTILITY',
      components: button(text),
    }),
  ],
  [
    'the file of a header',
    400,
    () => `/api/contacts/${contactId}/messages`,
    (media_id) => ({
      type: 'interactive',
      interactive: {
        type: 'button',
        body: 'Hi',
        header: { type: 'image', media_id },
        buttons: [{ id: 'a', title: 'A' }],
      },
    }),
  ],
  [
    'the Flow of a canned response',
    201,
    () => '/api/canned-responses',
    (flow_id) => ({
      name: `Opens ${flow_id}`,
      content: 'Here',
      buttons: [{ id: 'a', title: 'Open', type: 'flow', flow_id }],
    }),
  ],
  ...(['account_id', 'assigned_to', 'campaign', 'tags'] as const).flatMap((field) =>
    (['eq', 'ne', 'in', 'nin'] as const).map((op): (typeof CASES)[number] => [
      `a filter by ${field} (${op})`,
      200,
      () => '/api/segments/preview',
      (text) => filter(field, op, op.endsWith('in') ? [text] : text),
    ]),
  ),
]

test.each(CASES)('a text that is no id as %s is answered %d', async (_, status, path, body) => {
  for (const text of TEXTS) {
    const answer = await manager.post(path(), body(text))
    expect({ text, status: answer.status, body: answer.body }).toMatchObject({ text, status })
  }
})

test("a template may name a Flow by the platform's id", async () => {
  const { data } = await manager.post('/api/templates', {
    account_id: world.tenant.accountId,
    name: 'with_a_flow_of_the_platform',
    language: 'en',
    category: 'UTILITY',
    components: button('1234567890'),
  })
  expect((await manager.post(`/api/templates/${String(data['id'])}/publish`)).status).toBe(200)
})

test('a filter by a text that is not an ID matches nothing', async () => {
  const count = async (field: string, op: string, value: unknown): Promise<unknown> =>
    (await manager.post('/api/segments/preview', filter(field, op, value))).data['count']
  const { accountId } = world.tenant
  expect([
    await count('account_id', 'eq', accountId),
    await count('account_id', 'ne', accountId),
    await count('account_id', 'in', [accountId, 'no id']),
    await count('account_id', 'eq', String(accountId).toUpperCase()),
    await count('account_id', 'eq', 'no id'),
    await count('account_id', 'ne', 'no id'),
    await count('account_id', 'nin', ['no id']),
    await count('assigned_to', 'eq', 'no id'),
    await count('assigned_to', 'ne', 'no id'),
  ]).toEqual([1, 0, 1, 1, 0, 1, 1, 0, 1])
})

test.each(TEXTS)('a cursor with the text %s in it is refused', async (text) => {
  const cursor = Buffer.from(JSON.stringify([1, text])).toString('base64url')
  for (const path of ['/api/contacts', '/api/conversations', '/api/audit-logs', '/api/jobs'])
    expect((await manager.get(`${path}?cursor=${cursor}`)).status).toBe(400)
})
