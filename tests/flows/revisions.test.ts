import { expect, test } from 'bun:test'

import {
  edit,
  message,
  mediaMessage,
  revoke,
  type About,
  type Webhook,
} from '../../src/simulator/payloads'
import { echo, echoText } from '../../src/simulator/coexistence'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../support/lines'
import { World } from '../support/world'

const ANA = personOf(1, 'Ana')
const ORIGINAL = 'wamid.original'

const aboutIn = (world: World, more: About = {}): About => ({
  line: lineOf(world.tenant),
  person: ANA,
  timestamp: secondsIn(world),
  ...more,
})

const messagesOf = async (world: World): Promise<Loose[]> => {
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  return (await manager.get(`/api/contacts/${contact?.['id']}/messages`)).data['items'] as Loose[]
}

const contactOf = async (world: World): Promise<Loose> =>
  ((await (await world.as('manager')).get('/api/contacts')).data['items'] as Loose[])[0] as Loose

const found = async (world: World, q: string): Promise<number> =>
  world.rows<{ n: number }>(
    'select count(*) as n from message_search where message_search match ?',
    `"${q}"`,
  )[0]?.n ?? 0

const say = (world: World, text: string, at = 0): Webhook =>
  textTo(world, text, { person: ANA, id: ORIGINAL, timestamp: secondsIn(world) + at })
/** The ids of edits sort against their times, so nothing that goes by ids gets them right. */
const change = (world: World, text: string, at: number): Webhook =>
  edit(
    ORIGINAL,
    text,
    aboutIn(world, { id: `wamid.edit-${1_000 - at}`, timestamp: secondsIn(world) + at }),
  )
const takeBack = (world: World, at: number): Webhook =>
  revoke(ORIGINAL, aboutIn(world, { id: `wamid.revoke-${at}`, timestamp: secondsIn(world) + at }))

test('an edit changes the message in chats, lists and search, and is published', async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'The frist draft'))
  const socket = await world.socket('manager')
  world.clock.advance({ seconds: 30 })
  await deliver(world, change(world, 'The first draft', 0))
  const [shown] = await messagesOf(world)
  expect(shown).toMatchObject({
    type: 'text',
    content: { text: 'The first draft' },
    preview: 'The first draft',
    edited_at: '2026-11-21T09:30:30.000Z',
    revoked_at: null,
    timestamp: '2026-11-21T09:30:00.000Z',
  })
  expect(await contactOf(world)).toMatchObject({
    last_message_preview: 'The first draft',
    unread_count: 1,
  })
  expect([await found(world, 'frist'), await found(world, 'first')]).toEqual([0, 1])
  await socket.caughtUp()
  const [frame] = socket.events('message:updated')
  expect(frame?.payload).toMatchObject({
    id: shown?.['id'],
    content: { text: 'The first draft' },
    edited_at: '2026-11-21T09:30:30.000Z',
  })
  expect(frame?.payload['changed']).toEqual(['content', 'preview', 'edited_at'])
  expect(socket.events('message:new')).toEqual([])
})

test("the original text stays in the message's events", async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'One'))
  await deliver(world, change(world, 'Two', 1))
  await deliver(world, change(world, 'Three', 2))
  const rows = world.rows<{ kind: string; content: string }>(
    'select kind, content from message_revisions order by timestamp_ms, kind desc',
  )
  expect(
    rows.map(({ kind, content }) => [kind, (JSON.parse(content) as Loose)['content']['text']]),
  ).toEqual([
    ['original', 'One'],
    ['edit', 'Two'],
    ['edit', 'Three'],
  ])
  const [shown] = await messagesOf(world)
  const { data } = await (await world.as('manager')).get(`/api/messages/${shown?.['id']}/events`)
  expect((data['items'] as Loose[]).map(({ kind, content }) => [kind, content['text']])).toEqual([
    ['original', 'One'],
    ['edit', 'Two'],
    ['edit', 'Three'],
  ])
})

test('a deletion erases the text from chats, lists, search, events and rows', async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'A secret word'))
  await deliver(world, change(world, 'A hidden word', 1))
  const socket = await world.socket('manager')
  await deliver(world, takeBack(world, 2))
  const [shown] = await messagesOf(world)
  expect(shown).toMatchObject({
    content: { text: null },
    preview: 'Message deleted',
    revoked_at: '2026-11-21T09:30:02.000Z',
    media: null,
  })
  expect(await contactOf(world)).toMatchObject({ last_message_preview: 'Message deleted' })
  expect([await found(world, 'secret'), await found(world, 'hidden')]).toEqual([0, 0])
  await socket.caughtUp()
  expect(socket.events('message:updated').map(({ payload }) => payload)).toMatchObject([
    { revoked_at: '2026-11-21T09:30:02.000Z' },
  ])
  const left = ['messages', 'message_revisions', 'message_words', 'contacts', 'events'].flatMap(
    (table) => world.rows(`select * from ${table}`),
  )
  expect(JSON.stringify(left)).not.toMatch(/secret|hidden/)
})

const ORDERS: [string, ('say' | 'edit' | 'later' | 'revoke')[], string | null][] = [
  ['edit before its original', ['edit', 'say'], 'First edit'],
  ['newer edit before the older one', ['say', 'later', 'edit'], 'Second edit'],
  ['both edits before the original, newer first', ['later', 'edit', 'say'], 'Second edit'],
  ['revoke before the edit', ['say', 'revoke', 'edit'], null],
  ['revoke before everything', ['revoke', 'edit', 'later', 'say'], null],
  ['edit before its original, revoke before the edit', ['revoke', 'edit', 'say'], null],
  [
    'everything twice, backwards',
    ['revoke', 'later', 'edit', 'say', 'revoke', 'later', 'edit', 'say'],
    null,
  ],
]
test.each(ORDERS)('%s: the result equals that of the right order', async (_, order, text) => {
  await using world = await World.create()
  const told = {
    say: say(world, 'Original'),
    edit: change(world, 'First edit', 10),
    later: change(world, 'Second edit', 20),
    revoke: takeBack(world, 15),
  }
  for (const [nth, what] of order.entries()) {
    const webhook = told[what]
    await deliver(world, {
      ...webhook,
      entry: webhook.entry.map((entry) => ({ ...entry, time: nth })),
    })
  }
  const items = await messagesOf(world)
  expect(items.map(({ content, revoked_at }) => [content['text'], revoked_at === null])).toEqual([
    [text, text !== null],
  ])
  expect(
    world.rows(
      'select pending_since_ms, raw from message_revisions where pending_since_ms is not null or raw is not null',
    ),
  ).toEqual([])
  expect((await contactOf(world))['unread_count']).toBe(1)
})

test('an edit or deletion neither opens the window nor reopens the conversation', async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'Original'))
  const manager = await world.as('manager')
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  await manager.put(`/api/conversations/${conversation?.['id']}`, { state: 'closed' })
  const expires = (await contactOf(world))['window_expires_at']
  world.clock.advance({ hours: 2 })
  await deliver(world, change(world, 'Changed', 0))
  await deliver(world, takeBack(world, 1))
  expect((await contactOf(world))['window_expires_at']).toBe(expires)
  expect(
    (await (await world.as('manager')).get(`/api/conversations/${conversation?.['id']}`)).data[
      'state'
    ],
  ).toBe('closed')
})

test('the newest edit of a message that never came becomes a message after a day', async () => {
  await using world = await World.create()
  await deliver(world, change(world, 'First edit', 10))
  world.clock.advance({ minutes: 5 })
  await deliver(world, change(world, 'Second edit', 20))
  expect(world.rows('select id from messages')).toEqual([])
  world.clock.advance({ hours: 23, minutes: 50 })
  await world.settle()
  expect(world.rows('select id from messages')).toEqual([])
  const socket = await world.socket('manager')
  world.clock.advance({ minutes: 20 })
  await world.settle()
  expect(await messagesOf(world)).toMatchObject([
    { content: { text: 'Second edit' }, type: 'text', direction: 'incoming' },
  ])
  expect(await contactOf(world)).toMatchObject({ unread_count: 1, window_expires_at: null })
  await socket.caughtUp()
  expect(socket.events('message:new').length).toBe(1)
  expect(world.rows('select * from message_revisions')).toEqual([])
  await deliver(
    world,
    edit(
      ORIGINAL,
      'Second edit',
      aboutIn(world, { id: 'wamid.edit-980', timestamp: secondsIn(world) }),
    ),
  )
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect((await messagesOf(world)).length).toBe(1)
})

test('a deletion of a message that never came is dropped after a day, with its edits', async () => {
  await using world = await World.create()
  await deliver(world, change(world, 'Edited', 1))
  await deliver(world, takeBack(world, 2))
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect([
    world.rows('select * from message_revisions'),
    world.rows('select id from messages'),
  ]).toEqual([[], []])
  const boss = await world.as('super')
  expect((await boss.get('/api/inbound/events')).data['items']).toMatchObject([
    { state: 'done' },
    { state: 'done' },
  ])
})

test('a deleted message loses its file', async () => {
  await using world = await World.create()
  const file = {
    id: '1003383421387256',
    mime_type: 'image/jpeg',
    sha256: 'x',
    caption: 'my receipt',
  }
  await deliver(world, mediaMessage('image', file, aboutIn(world, { id: ORIGINAL })))
  const [before] = world.rows<{ id: string }>('select id from media')
  expect((await messagesOf(world))[0]).toMatchObject({
    media: { id: before?.id },
    content: { caption: 'my receipt' },
  })
  await deliver(world, takeBack(world, 1))
  expect((await messagesOf(world))[0]).toMatchObject({
    type: 'image',
    media: null,
    content: { caption: null, mime_type: null, filename: null, sha256: null, size_bytes: null },
    preview: 'Message deleted',
  })
  expect(world.rows('select state, stored_as from media')).toEqual([
    { state: 'expired', stored_as: null },
  ])
  expect(world.rows('select raw from messages')).toEqual([{ raw: null }])
  expect((await (await world.as('manager')).get(`/api/media/${before?.id}`)).status).toBe(404)
})

test('an edited caption keeps the file, and a new file replaces it', async () => {
  await using world = await World.create()
  const file = { id: '1003383421387256', mime_type: 'image/jpeg', sha256: 'x', caption: 'wrong' }
  await deliver(world, mediaMessage('image', file, aboutIn(world, { id: ORIGINAL })))
  const revised = (caption: string, id: string, nth: number): Webhook =>
    message(
      {
        type: 'edit',
        edit: {
          original_message_id: ORIGINAL,
          message: { type: 'image', image: { ...file, id, caption } },
        },
      },
      aboutIn(world, { id: `wamid.edit-${nth}`, timestamp: secondsIn(world) + nth }),
    )
  await deliver(world, revised('right', file.id, 1))
  expect(world.rows('select id from media').length).toBe(1)
  expect((await messagesOf(world))[0]).toMatchObject({
    content: { caption: 'right' },
    preview: 'right',
  })
  await deliver(world, revised('other', '1003383421387257', 2))
  const [shown] = await messagesOf(world)
  const [newest] = world.rows<{ id: string }>(
    "select id from media where platform_media_id = '1003383421387257'",
  )
  expect(shown?.['media']['id']).toBe(newest?.id)
})

test('edits and deletions from the phone app change its messages', async () => {
  await using world = await World.create()
  await deliver(world, echoText('Sent by phone', aboutIn(world, { id: 'wamid.echo' })))
  const at = (nth: number): About =>
    aboutIn(world, { id: `wamid.echo-${nth}`, timestamp: secondsIn(world) + nth })
  const inner = { type: 'text', text: { body: 'Corrected by phone' } }
  await deliver(
    world,
    echo({ type: 'edit', edit: { original_message_id: 'wamid.echo', message: inner } }, at(1)),
  )
  expect((await messagesOf(world))[0]).toMatchObject({
    direction: 'outgoing',
    content: { text: 'Corrected by phone' },
    status: 'sent',
  })
  await deliver(
    world,
    echo({ type: 'revoke', revoke: { original_message_id: 'wamid.echo' } }, at(2)),
  )
  expect((await messagesOf(world))[0]).toMatchObject({
    content: { text: null },
    preview: 'Message deleted',
  })
})

test("an edit never changes another phone number's message with the same ID", async () => {
  await using world = await World.create()
  await deliver(
    world,
    textTo(world, 'Of Bolt', { line: lineOf(world.other), id: ORIGINAL, person: ANA }),
  )
  await deliver(world, change(world, 'Changed', 1))
  await deliver(world, takeBack(world, 2))
  expect(world.rows('select content, revoked_at_ms from messages')).toEqual([
    { content: '{"text":"Of Bolt"}', revoked_at_ms: null },
  ])
})

test.each([
  ['an edit without what it says now', { type: 'edit', edit: { original_message_id: ORIGINAL } }],
  [
    'an edit of nothing',
    { type: 'edit', edit: { message: { type: 'text', text: { body: 'x' } } } },
  ],
  ['a revoke of nothing', { type: 'revoke', revoke: {} }],
])('%s is kept as an unsupported message', async (_, content) => {
  await using world = await World.create()
  await deliver(world, message(content, aboutIn(world)))
  expect(world.rows('select type from messages')).toEqual([{ type: 'unsupported' }])
})
