import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const PATH = '/api/canned-responses'
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map(({ path }) => path)
let made = 0
const keep = (more: Record<string, unknown> = {}): Promise<Answer<Loose>> =>
  admin.post(PATH, { name: `Answer ${(made += 1)}`, content: 'Hello', ...more })

describe('canned responses', () => {
  test('are created, found, changed and deleted, and a deleted name can be used again', async () => {
    const { status, data } = await keep({
      name: 'Opening hours',
      shortcut: 'time-1',
      content: 'From 9 to 17.',
      category: 'info',
    })
    expect([status, data]).toMatchObject([
      201,
      {
        name: 'Opening hours',
        shortcut: 'time-1',
        category: 'info',
        is_active: true,
        usage_count: 0,
        buttons: [],
        media_id: null,
      },
    ])
    const path = `${PATH}/${String(data['id'])}`
    expect((await admin.get(path)).data).toEqual(data)
    for (const query of [
      'search=OPENING',
      'search=9 to',
      'search=time-',
      'category=info',
      'search=Öpening',
    ])
      expect((await admin.get(`${PATH}?${query}`)).data['canned_responses']).toEqual([data])
    expect((await admin.get(`${PATH}?search=%25`)).data['items']).toEqual([])
    expect((await admin.put(path, { is_active: false })).data).toMatchObject({
      name: 'Opening hours',
      is_active: false,
    })
    expect((await admin.get(`${PATH}?category=info&active_only=true`)).data['items']).toEqual([])
    expect(verdict(await keep({ name: 'OPENING hours' }))).toEqual([409, 'name_taken'])
    expect(verdict(await keep({ shortcut: 'time-1' }))).toEqual([409, 'shortcut_taken'])
    expect((await admin.delete(path)).status).toBe(200)
    expect((await keep({ name: 'Opening hours', shortcut: 'time-1' })).status).toBe(201)
  })

  test('keep the fields that are not sent, and record each change', async () => {
    const buttons = [{ id: 'a', title: 'A', type: 'flow', flow_id: '7' }]
    const { data } = await keep({ category: 'kept', shortcut: 'kept', is_active: false, buttons })
    const path = `${PATH}/${String(data['id'])}`
    world.clock.advance({ seconds: 5 })
    const changed = {
      ...data,
      content: 'Good day',
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    }
    expect((await admin.put(path, { content: 'Good day' })).data).toEqual(changed)
    await admin.put(path, { content: 'Good day' })
    await admin.delete(path)
    const log = await admin.get(
      `/api/audit-logs?resource_type=canned_response&resource_id=${String(data['id'])}`,
    )
    expect(
      (log.data['items'] as Loose[]).map(({ action, resource_name, changes }) => [
        action,
        resource_name,
        changes,
      ]),
    ).toEqual([
      ['deleted', data['name'], []],
      ['updated', data['name'], [{ field: 'content', old_value: 'Hello', new_value: 'Good day' }]],
      ['created', data['name'], []],
    ])
  })

  test('are listed most used first, then by name', async () => {
    const [first, second] = [await keep({ category: 'order' }), await keep({ category: 'order' })]
    for (let uses = 0; uses < 2; uses += 1)
      await admin.post(`${PATH}/${String(second.data['id'])}/use`)
    await admin.post(`${PATH}/${String(first.data['id'])}/use`)
    const { data } = await (await world.as('agent')).get(`${PATH}?category=order`)
    expect((data['items'] as Loose[]).map(({ id, usage_count }) => [id, usage_count])).toEqual([
      [second.data['id'], 2],
      [first.data['id'], 1],
    ])
    await keep({ name: 'Zebra', category: 'unused' })
    await keep({ name: 'ant', category: 'unused' })
    const unused = await admin.get(`${PATH}?category=unused`)
    expect((unused.data['items'] as Loose[]).map(({ name }) => name as string)).toEqual([
      'ant',
      'Zebra',
    ])
  })

  test('are rendered for a contact, with its number masked as for the caller', async () => {
    const contact = await world.contactOf()
    const { data } = await keep({
      content: 'Dear {{contact_name}} ({{ phone_number }}), {{agent_name}} here. {{other}} ${1+1}',
      buttons: [{ id: 'a', title: 'Hi {{agent_name}}', type: 'reply' }],
    })
    const path = `${PATH}/${String(data['id'])}/render`
    expect((await admin.post(path, { contact_id: contact['id'] })).data).toEqual({
      content: `Dear ${contact['display_name']} (${contact['phone_number']}), Acme admin here. {{other}} \${1+1}`,
      buttons: [
        {
          id: 'a',
          title: 'Hi Acme admin',
          type: 'reply',
          url: null,
          phone_number: null,
          flow_id: null,
        },
      ],
    })
    await admin.put(`/api/contacts/${contact['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const agent = await world.as('agent')
    const masked = String(contact['phone_number']).replace(/.(?=.{4})/g, '*')
    expect((await agent.post(path, { contact_id: contact['id'] })).data['content']).toContain(
      `(${masked})`,
    )
    await admin.put(`/api/contacts/${contact['id']}`, { name: contact['phone_number'] })
    const named = await agent.post(path, { contact_id: contact['id'] })
    expect(named.data['content']).not.toContain(contact['phone_number'])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    const unseen = await world.contactOf()
    expect((await agent.post(path, { contact_id: unseen['id'] })).status).toBe(404)
  })

  for (const [name, body, paths] of [
    [
      'no name and no content',
      { name: undefined, content: undefined },
      ['body.name', 'body.content'],
    ],
    ['a blank name', { name: '  ' }, ['body.name']],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, ['body.name']],
    ['content of 4097 characters', { content: 'x'.repeat(4_097) }, ['body.content']],
    ['a shortcut with capitals', { shortcut: 'Hours' }, ['body.shortcut']],
    [
      '11 buttons',
      {
        buttons: Array.from({ length: 11 }, (_, index) => ({
          id: `${index}`,
          title: 'x',
          type: 'reply',
        })),
      },
      ['body.buttons'],
    ],
    [
      'a button of 21 characters',
      { buttons: [{ id: 'a', title: 'x'.repeat(21), type: 'reply' }] },
      ['body.buttons.0.title'],
    ],
    [
      'an address that is none',
      { buttons: [{ id: 'a', title: 'x', type: 'url', url: 'javascript:1' }] },
      ['body.buttons.0.url'],
    ],
    [
      'a number that is none',
      { buttons: [{ id: 'a', title: 'x', type: 'phone', phone_number: '12' }] },
      ['body.buttons.0.phone_number'],
    ],
    [
      'a flow button without flow',
      { buttons: [{ id: 'a', title: 'x', type: 'flow' }] },
      ['body.buttons.0.flow_id'],
    ],
    [
      'two buttons of one id',
      {
        buttons: [
          { id: 'a', title: 'x', type: 'reply' },
          { id: 'a', title: 'y', type: 'reply' },
        ],
      },
      ['body.buttons.1.id'],
    ],
    ['a file of nobody', { media_id: '01900000-0000-7000-8000-ffffffffffff' }, ['body.media_id']],
  ] as const)
    test(`are rejected with ${name}`, async () => {
      const answer = await keep(body)
      expect([answer.status, problems(answer)]).toEqual([400, [...paths]])
    })

  test('are changed only with permission and used by everyone', async () => {
    const agent = await world.as('agent')
    const { data } = await keep()
    expect(verdict(await agent.post(PATH, { name: 'x', content: 'y' }))).toEqual([
      403,
      'permission_denied',
    ])
    expect(verdict(await agent.delete(`${PATH}/${String(data['id'])}`))).toEqual([
      403,
      'permission_denied',
    ])
    expect((await agent.post(`${PATH}/${String(data['id'])}/use`)).status).toBe(200)
  })
})
