import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client
let contactId: string
let path: string

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

beforeEach(async () => {
  contactId = String((await world.contactOf())['id'])
  path = `/api/contacts/${contactId}/notes`
})

afterAll(() => world.stop())

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map((problem) => problem.path)
const contents = ({ data }: Answer<Loose>): unknown[] =>
  (data['items'] as Loose[]).map(({ content }) => content)

describe('notes on a contact', () => {
  test('are created, read, updated and deleted, and each change is published to sockets', async () => {
    const socket = await world.socket('manager')
    const { status, data } = await admin.post(path, { content: 'Likes lamps.' })
    expect([status, data]).toMatchObject([
      201,
      {
        contact_id: contactId,
        content: 'Likes lamps.',
        mentions: [],
        pinned: false,
        created_by_name: 'Acme admin',
      },
    ])
    await world.settle()
    const own = `${path}/${String(data['id'])}`
    expect((await admin.put(own, { pinned: true })).data).toMatchObject({
      content: 'Likes lamps.',
      pinned: true,
    })
    expect((await admin.get(path)).data['items']).toEqual([{ ...data, pinned: true }])
    await world.settle()
    expect((await admin.delete(own)).status).toBe(200)
    expect(verdict(await admin.put(own, { pinned: false }))).toEqual([404, 'not_found'])
    await world.settle()
    const heard = (await socket.caughtUp()).filter(({ type }) => type.startsWith('note:'))
    expect(heard.map(({ type, payload }) => [type, payload['id'], payload['contact_id']])).toEqual(
      ['note:new', 'note:updated', 'note:deleted'].map((type) => [type, data['id'], contactId]),
    )
  })

  test('are listed oldest first; page 1 has the newest, and `before` continues', async () => {
    for (const content of ['one', 'two', 'three', 'four', 'five'])
      await admin.post(path, { content })
    const newest = await admin.get(`${path}?limit=2`)
    expect([contents(newest), newest.data]).toMatchObject([
      ['four', 'five'],
      { total: 5, total_pages: 3, has_more: true },
    ])
    expect(contents(await admin.get(`${path}?limit=2&page=3`))).toEqual(['one'])
    const [four] = newest.data['items'] as Loose[]
    const older = await admin.get(`${path}?limit=3&before=${String(four?.['id'])}`)
    expect([contents(older), older.data['has_more'], older.data['total']]).toEqual([
      ['one', 'two', 'three'],
      false,
      null,
    ])
    expect(
      problems(await admin.get(`${path}?before=01900000-0000-7000-8000-ffffffffffff`)),
    ).toEqual(['query.before'])
  })

  test('notify each mentioned member once, except their author', async () => {
    const { admin: me, manager } = world.tenant.userIds
    await admin.post(path, { content: 'Look', mentions: [manager, manager, me] })
    const told = world.rows('select user_id, kind, link, body from notifications')
    expect(told).toEqual([
      {
        user_id: manager,
        kind: 'mention',
        link: `/contacts/${contactId}`,
        body: expect.not.stringContaining('Look'),
      },
    ])
  })

  test('can be changed only by their author, and also deleted by members who may delete contacts', async () => {
    await admin.put(`/api/contacts/${contactId}/assign`, { user_id: world.tenant.userIds.agent })
    const agent = await world.as('agent')
    const { data } = await admin.post(path, { content: 'By the admin' })
    const own = `${path}/${String(data['id'])}`
    expect(verdict(await agent.put(own, { content: 'x' }))).toEqual([403, 'not_the_author'])
    expect(verdict(await agent.delete(own))).toEqual([403, 'not_the_author'])
    const byAgent = await agent.post(path, { content: 'By the agent' })
    const other = `${path}/${String(byAgent.data['id'])}`
    expect(verdict(await admin.put(other, { content: 'x' }))).toEqual([403, 'not_the_author'])
    expect((await admin.delete(other)).status).toBe(200)
  })

  test('are found only under their contact', async () => {
    const { data } = await admin.post(path, { content: 'Here' })
    const elsewhere = String((await world.contactOf())['id'])
    expect(
      (await admin.put(`/api/contacts/${elsewhere}/notes/${String(data['id'])}`, { content: 'x' }))
        .status,
    ).toBe(404)
  })

  for (const [name, body, wrong] of [
    ['no content', {}, 'body.content'],
    ['blank content', { content: ' \n ' }, 'body.content'],
    ['content of 4097 characters', { content: 'x'.repeat(4_097) }, 'body.content'],
    [
      'a mention of nobody',
      { content: 'x', mentions: ['01900000-0000-7000-8000-ffffffffffff'] },
      'body.mentions.0',
    ],
    [
      '21 mentions',
      {
        content: 'x',
        mentions: Array.from({ length: 21 }, () => '01900000-0000-7000-8000-ffffffffffff'),
      },
      'body.mentions',
    ],
  ] as const)
    test(`are rejected with ${name}`, async () => {
      const answer = await admin.post(path, body)
      expect([answer.status, problems(answer)]).toEqual([400, [wrong]])
      expect((await admin.get(path)).data['total']).toBe(0)
    })

  test('are invisible if their contact is', async () => {
    const agent = await world.as('agent')
    expect((await agent.get(path)).status).toBe(404)
    expect((await agent.post(path, { content: 'x' })).status).toBe(404)
    const socket = await world.socket('agent')
    await admin.post(path, { content: 'x' })
    await world.settle()
    expect((await socket.caughtUp()).filter(({ type }) => type.startsWith('note:'))).toEqual([])
  })
})
