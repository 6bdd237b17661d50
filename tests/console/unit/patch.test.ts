import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import type { Conversation, Item } from '../../../src/console/api/shapes'
import { conversationKey } from '../../../src/console/live/conversation'
import {
  cappedAt,
  joinTop,
  listKey,
  type ListFilter,
} from '../../../src/console/live/conversation-list'
import { itemsOf } from '../../../src/console/live/pages-of'
import { applyFrame } from '../../../src/console/live/patch'
import { keyOf } from '../../../src/console/live/query'
import { rowsKey } from '../../../src/console/live/rows'
import { dropRefreshes } from '../../../src/console/live/refresh'
import { FIRST } from '../../../src/console/live/start'
import { addItem, threadKey, type ThreadPage } from '../../../src/console/live/thread'

const OPEN: ListFilter = { state: 'open' }

const conversation = (id: string, more: Partial<Conversation> = {}): Conversation =>
  ({
    id,
    contact: { id: `contact-${id}`, display_name: id, phone_number: null, tags: [] },
    state: 'open',
    unread_count: 0,
    assigned_to: null,
    last_message: null,
    ...more,
  }) as unknown as Conversation

const message = (id: string, more: Partial<Item> = {}): Item =>
  ({
    id,
    conversation_id: 'a',
    contact_id: 'contact-a',
    direction: 'incoming',
    type: 'text',
    status: 'delivered',
    content: { text: id },
    timestamp: `2026-11-21T09:30:0${id.at(-1)}.000Z`,
    reactions: [],
    client_ref: null,
    ...more,
  }) as unknown as Item

let client: QueryClient
const list = (...ids: string[]) => ({
  pages: [{ items: ids.map((id) => conversation(id)), next_cursor: null }],
  pageParams: [null],
})
const thread = (...items: Item[]) => ({
  pages: [{ items, hasOlder: false, hasNewer: false }],
  pageParams: [null],
})
const send = (type: string, payload: object): void => {
  applyFrame(client, { type, payload: { ...payload }, seq: 1, at: '2026-11-21T09:30:00.000Z' })
}
const listed = (): Conversation[] => itemsOf(client.getQueryData(listKey(OPEN)))
const shown = (): Item[] =>
  itemsOf<Item>(client.getQueryData<{ pages: ThreadPage[]; pageParams: unknown[] }>(threadKey('a')))

beforeEach(() => {
  client = new QueryClient()
  client.setQueryData(listKey(OPEN), list('b', 'a', 'c'))
  client.setQueryData(threadKey('a'), thread(message('m1')))
  client.setQueryData(conversationKey('a'), conversation('a'))
})

afterEach(() => {
  dropRefreshes(client)
  client.clear()
})

describe('a new message', () => {
  const frame = {
    ...message('m2'),
    conversation: { state: 'open', assigned_to: null, unread_count: 3, bot_active: false },
  }

  test('is added once at the end of its thread, and moves its conversation up', () => {
    send('message:new', frame)
    send('message:new', frame)
    expect(shown().map(({ id }) => id)).toEqual(['m1', 'm2'])
    expect(listed().map(({ id, unread_count }) => [id, unread_count])).toEqual([
      ['a', 3],
      ['b', 0],
      ['c', 0],
    ])
    expect(listed()[0]?.last_message).toMatchObject({ id: 'm2', preview: 'm2' })
  })

  test('that came late stands where its time puts it', () => {
    send('message:new', { ...frame, ...message('m0') })
    expect(shown().map(({ id }) => id)).toEqual(['m0', 'm1'])
  })
})

describe('an event after others may have been missed', () => {
  const keys = [listKey(OPEN), threadKey('a'), conversationKey('a')]
  const change = (): void => {
    send('message:new', message('m3'))
    send('conversation:updated', { id: 'a', priority: 'high', changed: ['priority'] })
    expect(shown().map(({ id }) => id)).toEqual(['m1', 'm3'])
    expect(client.getQueryData<Conversation>(conversationKey('a'))?.priority).toBe('high')
    expect(listed()[0]).toMatchObject({ id: 'a', priority: 'high' })
  }

  test('leaves what must be loaded again to be loaded again', async () => {
    await client.invalidateQueries({ refetchType: 'none' })
    change()
    for (const key of keys) expect(client.getQueryState(key)?.isInvalidated).toBe(true)
  })

  test('leaves the error of what could not be loaded again', async () => {
    const error = new Error('lost')
    for (const queryKey of keys)
      await client
        .fetchQuery({ queryKey, queryFn: () => Promise.reject(error), retry: false })
        .catch(() => undefined)
    change()
    for (const key of keys) expect(client.getQueryState(key)?.error).toBe(error)
  })
})

test('the state of a message never goes back', () => {
  client.setQueryData(
    threadKey('a'),
    thread(message('m1', { direction: 'outgoing', status: 'sent' })),
  )
  const status = (): unknown => shown()[0]?.status
  send('message:status', { message_id: 'm1', status: 'read' })
  send('message:status', { message_id: 'm1', status: 'delivered' })
  expect(status()).toBe('read')
})

test('an answer that arrives after the events keeps the cause of a failure', () => {
  const sent = message('m2', { direction: 'outgoing', status: 'pending', error: null })
  send('message:new', sent)
  const error = { code: 'window_closed', message: 'No.', retryable: false }
  send('message:status', { message_id: 'm2', status: 'failed', error })
  addItem(client, { ...sent, template_name: 'hello' })
  expect(shown()[1]).toMatchObject({ status: 'failed', error, template_name: 'hello' })
})

test('an event that arrives after the answer or again empties nothing', () => {
  const sent = message('m2', { direction: 'outgoing', status: 'pending' })
  addItem(client, { ...sent, template_name: 'hello' })
  const error = { code: 'window_closed', message: 'No.', retryable: false }
  send('message:status', { message_id: 'm2', status: 'failed', error })
  const { reactions: _, ...event } = { ...sent, status: 'failed' }
  send('message:reaction', { message_id: 'm2', reactions: [{ emoji: '👍' }] })
  send('message:new', event)
  expect(shown()[1]).toMatchObject({
    ...{ status: 'failed', error, template_name: 'hello' },
    reactions: [{ emoji: '👍' }],
  })
})

test('a message that failed names its cause in the list', () => {
  const last = { id: 'm1', status: 'sent', error_code: null }
  client.setQueryData(listKey(OPEN), {
    pages: [{ items: [conversation('a', { last_message: last } as never)], next_cursor: null }],
    pageParams: [null],
  })
  const error = { code: 'undeliverable', message: 'No.', retryable: false }
  send('message:status', { message_id: 'm1', status: 'failed', error })
  expect(listed()[0]?.last_message).toMatchObject({
    status: 'failed',
    error_code: 'undeliverable',
  })
})

test('a reaction and an edit change the message where it is', () => {
  send('message:reaction', { message_id: 'm1', reactions: [{ emoji: '👍' }] })
  send('message:updated', { id: 'm1', content: { text: 'new' }, edited_at: '2026-11-21T09:31:00Z' })
  expect(shown()).toMatchObject([{ reactions: [{ emoji: '👍' }], content: { text: 'new' } }])
})

test('a conversation that no longer fits leaves the list', () => {
  send('conversation:updated', { id: 'a', state: 'closed', changed: ['state'] })
  expect(listed().map(({ id }) => id)).toEqual(['b', 'c'])
  expect(client.getQueryData<Conversation>(conversationKey('a'))?.state).toBe('closed')
})

test('a contact out of sight leaves the list; a changed one changes there', () => {
  send('contact:updated', { id: 'contact-b', changed: ['assigned_to'], visible: false })
  send('contact:updated', { id: 'contact-c', display_name: 'Carla', changed: [], visible: true })
  expect(listed().map(({ contact }) => contact.display_name)).toEqual(['a', 'Carla'])
})

test('what was opened of a deleted contact is asked for again, but not that of a merged one', () => {
  client.setQueryData(conversationKey('b'), conversation('b'))
  const isStale = () => client.getQueryState(conversationKey('b'))?.isInvalidated
  send('contact:deleted', { id: 'contact-b', reason: 'merged', merged_into: 'contact-a' })
  expect(isStale()).toBe(false)
  send('contact:deleted', { id: 'contact-b', reason: 'deleted', merged_into: null })
  expect(isStale()).toBe(true)
})

test('a note is added once, changed and deleted', () => {
  const key = keyOf('GET /api/contacts/{id}/notes', { params: { id: 'contact-a' } })
  client.setQueryData(key, { items: [] })
  const note = { id: 'n', contact_id: 'contact-a', content: 'one' }
  send('note:new', note)
  send('note:new', note)
  send('note:updated', { ...note, content: 'two' })
  expect(client.getQueryData<object>(key)).toMatchObject({ items: [{ content: 'two' }] })
  send('note:deleted', { id: 'n', contact_id: 'contact-a' })
  expect(client.getQueryData<object>(key)).toEqual({ items: [] })
})

test('a fresh first page joins loaded pages without a double', () => {
  const pages = {
    pages: [...list('a', 'b').pages, ...list('c', 'd').pages],
    pageParams: [null, 'x'],
  } as never
  const top = list('c', 'e', 'a').pages[0] as never
  expect(itemsOf(joinTop(pages, top)).map(({ id }) => id)).toEqual(['c', 'e', 'a', 'b', 'd'])
})

test('a list of more than 40 pages says that it ends there', () => {
  const page = { items: [{}], next_cursor: 'more' } as never
  const pages = (count: number) =>
    ({ pages: Array.from({ length: count }, () => page), pageParams: [] }) as never
  expect([39, 40].map((count) => cappedAt(pages(count)))).toEqual([null, 40])
})

test('who looks at which conversation is one entry, as each event looks through all', () => {
  const mona = [{ id: 'mona', full_name: 'Mona', doing: 'typing' }]
  send('conversation:presence', { conversation_id: 'a', users: mona })
  send('conversation:presence', { conversation_id: 'b', users: mona })
  send('conversation:presence', { conversation_id: 'a', users: [] })
  const found = client.getQueriesData<object>({ queryKey: ['presence'] })
  expect(found.map(([, data]) => data)).toEqual([{ b: mona }])
})

test('2,000 rows take an event in less than 4 ms', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `row-${index}`)
  const pages = Array.from(
    { length: 40 },
    (_, index) => list(...many.slice(index * 50, index * 50 + 50)).pages[0],
  )
  client.setQueryData(listKey(OPEN), { pages, pageParams: pages.map(() => null) })
  const tookMs = many.slice(-100).map((id) => {
    const startedMs = performance.now()
    send('conversation:updated', { id, unread_count: 1, changed: [] })
    return performance.now() - startedMs
  })
  expect(tookMs.toSorted((one, other) => one - other)[50]).toBeLessThan(4)
})

test('a conversation that somebody takes from a queue leaves the list of those who wait', () => {
  const waiting: ListFilter = { state: 'open', waiting: 'mine' }
  const one = conversation('w', { transfer: { agent_id: null } as Conversation['transfer'] })
  const rows = (): string[] =>
    itemsOf<Conversation>(client.getQueryData(listKey(waiting))).map(({ id }) => id)
  client.setQueryData(listKey(waiting), {
    pages: [{ items: [one], next_cursor: null }],
    pageParams: [null],
  })
  send('conversation:updated', { id: 'w', priority: 'high', changed: ['priority'] })
  expect(rows()).toEqual(['w'])
  send('conversation:updated', { id: 'w', transfer: { agent_id: 'me' }, changed: ['transfer'] })
  expect(rows()).toEqual([])
})

test('work of the person is in the bell from its begin to its end', () => {
  const key = keyOf('GET /api/me/work', FIRST.work)
  const told = (): unknown =>
    client
      .getQueryData<{ items: { id: string; done: number }[] }>(key)
      ?.items.map(({ id, done }) => [id, done])
  client.setQueryData(key, { items: [], total: 0 })
  send('work:progress', { id: 'a', kind: 'export', state: 'running', done: 0 })
  send('work:progress', { id: 'b', kind: 'import', state: 'running', done: 0 })
  send('work:progress', { id: 'a', kind: 'export', state: 'running', done: 7 })
  expect(told()).toEqual([
    ['b', 0],
    ['a', 7],
  ])
  send('work:progress', { id: 'b', kind: 'import', state: 'failed', done: 3 })
  expect(told()).toEqual([['a', 7]])
})

test('an order changes in its table, and is still said to be its contact’s', () => {
  const key = rowsKey('GET /api/orders', {})
  const contact = { id: 'c', display_name: 'Ana', phone_number: null }
  client.setQueryData(key, {
    pages: [{ items: [{ id: 'o', state: 'new', contact }], total: 1, next_cursor: null }],
    pageParams: [{}],
  })
  const summary = { id: 'c', name: 'Ana', phone_number: null, assigned_to: null }
  send('order:updated', { id: 'o', state: 'confirmed', contact: summary, changed: ['state'] })
  expect(itemsOf<{ id: string }>(client.getQueryData(key))).toEqual([
    { id: 'o', state: 'confirmed', contact },
  ] as object[] as { id: string }[])
})
