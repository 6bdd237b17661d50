import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import type { Conversation, Item } from '../../../src/console/api/shapes'
import { conversationKey } from '../../../src/console/live/conversation'
import { listKey } from '../../../src/console/live/conversation-list'
import { itemsOf } from '../../../src/console/live/pages-of'
import { applyFrame, EFFECTS } from '../../../src/console/live/patch'
import { keyOf } from '../../../src/console/live/query'
import { dropRefreshes } from '../../../src/console/live/refresh'
import { threadKey, type ThreadPage } from '../../../src/console/live/thread'
import { exampleOf, problemsOf, schemaOf } from './schema'

const idOf = (digit: number): string => `${digit}0000000-0000-4000-8000-000000000000`
const [CONVERSATION, CONTACT, MESSAGE, NOTE, TRANSFER, CALL] = [1, 2, 3, 4, 5, 6].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const LINKS = { conversation_id: CONVERSATION, contact_id: CONTACT, message_id: MESSAGE }

/** What `id` means in the events of each area. */
const SUBJECTS: Record<string, string> = {
  message: MESSAGE,
  call: CALL,
  conversation: CONVERSATION,
  contact: CONTACT,
  note: NOTE,
  transfer: TRANSFER,
}

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
        JSON.stringify(payload).replaceAll(/[1-6](0000000-0000-4000)/g, '9$1'),
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
