import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import type { Conversation, Item } from '../../../src/console/api/shapes'
import { conversationKey } from '../../../src/console/live/conversation'
import { listKey } from '../../../src/console/live/conversation-list'
import { itemsOf, joinPages } from '../../../src/console/live/pages-of'
import { applyFrame, EFFECTS } from '../../../src/console/live/patch'
import { keyOf } from '../../../src/console/live/query'
import { dropRefreshes } from '../../../src/console/live/refresh'
import { rowsKey, type RowsRoute } from '../../../src/console/live/rows'
import { threadKey, type ThreadPage } from '../../../src/console/live/thread'
import { exampleOf, problemsOf, schemaOf } from './schema'

const idOf = (digit: number): string => `${digit}0000000-0000-4000-8000-000000000000`
const [CONVERSATION, CONTACT, MESSAGE, NOTE, TRANSFER, CALL, CAMPAIGN, TEMPLATE] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8],
].map(idOf) as [string, string, string, string, string, string, string, string]
const LINKS = {
  conversation_id: CONVERSATION,
  contact_id: CONTACT,
  message_id: MESSAGE,
  campaign_id: CAMPAIGN,
}

/** What `id` means in the events of each area. */
const SUBJECTS: Record<string, string> = {
  message: MESSAGE,
  call: CALL,
  conversation: CONVERSATION,
  contact: CONTACT,
  note: NOTE,
  transfer: TRANSFER,
  template: TEMPLATE,
}

/** What tables show: the route of the list, the schema of its rows, and the row that is loaded. */
const TABLES: [route: RowsRoute, schema: string, id: string][] = [
  ['POST /api/contacts/search', 'Contact', CONTACT],
  ['GET /api/campaigns', 'Campaign', CAMPAIGN],
  ['GET /api/templates', 'Template', TEMPLATE],
]

interface Frame {
  type: string
  payload: Record<string, unknown>
}
/** Returns an example of every frame of the server that tells an event. */
const framesOf = (kind: 'full' | 'least'): Frame[] =>
  (schemaOf('ServerFrame').oneOf ?? [])
    .map((schema) => {
      const { type } = exampleOf(schema, { kind, known: {} }) as Frame
      const id = SUBJECTS[type.split(':')[0] ?? '']
      return exampleOf(schema, { kind, known: { ...LINKS, id } }) as Frame
    })
    .filter(({ type }) => type.includes(':'))

let client: QueryClient
const api = (name: string, id: string): Record<string, unknown> =>
  exampleOf(schemaOf(name), { kind: 'full', known: { ...LINKS, id } }) as Record<string, unknown>

const params = { id: CONTACT }
const contactKey = keyOf('GET /api/contacts/{id}', { params })
const notesKey = keyOf('GET /api/contacts/{id}/notes', { params })
const transfersKey = keyOf('GET /api/chatbot/transfers', { query: {} })

beforeEach(() => {
  client = new QueryClient()
  const contact = api('ContactDetails', CONTACT)
  const conversation = { ...api('Conversation', CONVERSATION), contact }
  const listed = { items: [conversation], next_cursor: null }
  client.setQueryData(listKey({}), { pages: [listed], pageParams: [null] })
  client.setQueryData(conversationKey(CONVERSATION), conversation)
  const message = { ...api('ThreadTextItem', MESSAGE), status: 'pending' }
  const items = [message, api('ThreadCallItem', CALL)]
  client.setQueryData(threadKey(CONVERSATION), {
    pages: [{ items, hasOlder: false, hasNewer: false }],
    pageParams: [null],
  })
  client.setQueryData(contactKey, contact)
  client.setQueryData(notesKey, { ...api('NoteList', NOTE), items: [api('Note', NOTE)] })
  for (const [route, schema, id] of TABLES)
    client.setQueryData(rowsKey(route, {}), {
      pages: [{ items: [api(schema, id)], total: 1, total_pages: 1 }],
      pageParams: [{}],
    })
  client.setQueryData(transfersKey, {
    ...api('TransferList', TRANSFER),
    transfers: [api('Transfer', TRANSFER)],
  })
})

afterEach(() => {
  dropRefreshes(client)
  client.clear()
})

/** Returns everything that is loaded and does not fit the schemas of the API anymore. */
function unfit(): string[] {
  const thread = client.getQueryData<{ pages: ThreadPage[]; pageParams: unknown[] }>(
    threadKey(CONVERSATION),
  )
  const one = client.getQueryData<Conversation>(conversationKey(CONVERSATION))
  const lists = [...itemsOf<Conversation>(client.getQueryData(listKey({}))), ...(one ? [one] : [])]
  const check = (name: string, values: unknown[]): string[] =>
    values.flatMap((value) => problemsOf(schemaOf(name), value, name))
  const present = (key: readonly unknown[]): unknown[] => {
    const data = client.getQueryData(key)
    return data === undefined ? [] : [data]
  }
  return [
    ...check('Conversation', lists),
    ...check('ThreadItem', itemsOf<Item>(thread)),
    ...check('ContactDetails', present(contactKey)),
    ...check('NoteList', present(notesKey)),
    ...check('TransferList', present(transfersKey)),
    ...TABLES.flatMap(([route, schema]) =>
      check(schema, itemsOf(client.getQueryData(rowsKey(route, {})))),
    ),
  ]
}

test('what is loaded fits before any event', () => {
  expect(unfit()).toEqual([])
})

test('every event of the document has an effect', () => {
  const types = framesOf('full').map(({ type }) => type)
  expect(types.length).toBeGreaterThan(20)
  expect(types.filter((type) => !(type in EFFECTS))).toEqual([])
})

test('a running campaign, a reviewed template and a deleted contact change in the tables', () => {
  const rowsOf = (route: RowsRoute) =>
    itemsOf<Record<string, unknown>>(client.getQueryData(rowsKey(route, {})))
  const apply = (type: string, payload: Record<string, unknown>): void => {
    applyFrame(client, { type, payload, seq: 1, at: '2026-11-21T09:30:06.000Z' })
  }
  apply('campaign:progress', { campaign_id: CAMPAIGN, status: 'paused', sent_count: 77 })
  expect(rowsOf('GET /api/campaigns')).toMatchObject([{ status: 'paused', sent_count: 77 }])
  apply('template:updated', { id: TEMPLATE, status: 'REJECTED', reason: 'SCAM', changed: [] })
  expect(rowsOf('GET /api/templates')).toMatchObject([{ status: 'REJECTED', reason: 'SCAM' }])
  apply('template:updated', { id: TEMPLATE, status: 'deleted' })
  expect(rowsOf('GET /api/templates')).toEqual([])
  apply('contact:updated', { id: CONTACT, display_name: 'New', changed: [], visible: true })
  expect(rowsOf('POST /api/contacts/search')).toMatchObject([{ display_name: 'New' }])
  apply('contact:updated', { id: CONTACT, changed: [], visible: false })
  expect(rowsOf('POST /api/contacts/search')).toEqual([])
})

test('a message puts its contact first in a table by the last message, and nowhere else', () => {
  const route = 'POST /api/contacts/search'
  const other = idOf(9)
  const at = '2030-01-01T00:00:00.000Z'
  const lists = [{}, { sort: 'name' as const }, { order: 'asc' as const }]
  for (const filter of lists)
    client.setQueryData(rowsKey(route, filter), {
      pages: [{ items: [api('Contact', other), api('Contact', CONTACT)] }],
      pageParams: [{}],
    })
  const frame = framesOf('full').find(({ type }) => type === 'message:new')
  const payload = { ...frame?.payload, contact_id: CONTACT, timestamp: at }
  applyFrame(client, { type: 'message:new', payload, seq: 1, at })
  const [first, second, third] = lists.map((filter) =>
    itemsOf<{ id: string; last_message_at: string }>(client.getQueryData(rowsKey(route, filter))),
  )
  expect(first?.map(({ id }) => id)).toEqual([CONTACT, other])
  expect(first?.[0]?.last_message_at).toBe(at)
  expect(second?.map(({ id }) => id)).toEqual([other, CONTACT])
  expect(second?.[1]?.last_message_at).toBe(at)
  expect(third?.map(({ id }) => id)).toEqual([other, CONTACT])
  const late = { ...payload, contact_id: other, timestamp: '2001-01-01T00:00:00.000Z' }
  applyFrame(client, { type: 'message:new', payload: late, seq: 2, at })
  const shown = itemsOf<{ id: string }>(client.getQueryData(rowsKey(route, {})))
  expect(shown.map(({ id }) => id)).toEqual([CONTACT, other]) // an older message moves nothing
})

test.each([
  ['a new row', 'ab|cd', 'na', 'nab|cd'],
  ['a row that left', 'abc|de', 'acd', 'acd|e'],
  ['a row that moved up', 'abc|de', 'dab', 'dabc|e'],
  ['several rows that left', 'abc|de', 'ade', 'ade|'],
  ['a new row at the end', 'abc|de', 'abn', 'abnc|de'],
  ['nothing that is known', 'ab|cd', 'xy', 'xy'],
  ['a list of one page', 'abc', 'nab', 'nab'],
])('a fresh beginning is joined with the rest: %s', (_, known, top, joined) => {
  const pageOf = (ids: string) => ({ items: [...ids].map((id) => ({ id })) })
  const loaded = known.split('|').map(pageOf)
  const result = joinPages({ pages: loaded, pageParams: loaded.map(() => ({})) }, pageOf(top), true)
  const idsOf = result.pages.map(({ items }) => items.map(({ id }) => id).join(''))
  expect(idsOf.join('|')).toBe(joined)
  expect(result.pageParams).toHaveLength(result.pages.length)
  const whole = joinPages({ pages: loaded, pageParams: [{}] }, pageOf(top), false)
  expect(whole.pages).toEqual([pageOf(top)])
})

describe.each(['full', 'least'] as const)('an event with %s fields', (kind) => {
  test.each(framesOf(kind).map((frame) => [frame.type, frame] as const))(
    '%s leaves what is loaded as the API would answer it',
    (_, { type, payload }) => {
      const frame = { type, payload, seq: 1, at: '2026-11-21T09:30:06.000Z' }
      applyFrame(client, frame)
      applyFrame(client, frame)
      expect(unfit()).toEqual([])
    },
  )

  test.each(framesOf(kind).map((frame) => [frame.type, frame] as const))(
    '%s of things that are not loaded changes nothing',
    (_, { type, payload }) => {
      const strange = JSON.parse(
        JSON.stringify(payload).replaceAll(/[1-8](0000000-0000-4000)/g, '9$1'),
      ) as Record<string, unknown>
      const dump = (): string =>
        JSON.stringify(
          client
            .getQueryCache()
            .getAll()
            .map(({ queryKey, state }) => [queryKey, state.data])
            .filter(
              ([key]) => !['presence', 'conversations'].includes(String((key as unknown[])[0])),
            ),
        )
      const before = dump()
      applyFrame(client, { type, payload: strange, seq: 1, at: '2026-11-21T09:30:06.000Z' })
      expect(dump()).toBe(before)
    },
  )
})
