import { expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../support/client'
import { exported } from '../support/imports'
import { SightHistory, type Watcher } from '../support/sight-history'

/** Steps of each history; `SIGHT_STEPS=1000` for a long one. */
const STEPS = Number(process.env['SIGHT_STEPS'] ?? 120)

/** Histories; `SIGHT_HISTORIES=20` for more. */
const HISTORIES = Number(process.env['SIGHT_HISTORIES'] ?? 1)

/** Steps between two comparisons of everything. */
const COMPARED_EVERY = 20

const sorted = (ids: Iterable<unknown>): string[] => [...new Set(ids)].map(String).toSorted()

/** Returns what a request answers; nothing if the person may not ask. */
function answerOf({ status, body }: Answer<Loose>): Loose {
  expect([200, 403]).toContain(status)
  return body.status === 'success' ? body.data : {}
}

const itemsOf = async (client: Client, path: string): Promise<Loose[]> =>
  (answerOf(await client.get(path))['items'] as Loose[] | undefined) ?? []

const idsOf = (items: Loose[]): string[] => sorted(items.map(({ id }) => id))

const contactsOf = (items: Loose[]): string[] =>
  sorted(items.map(({ contact }) => (contact as Loose)['id']))

/** Returns the contacts of a history of which a path below `/api/contacts/{id}` tells. */
async function answeredTo(client: Client, ids: string[], below: string): Promise<string[]> {
  const answers = await Promise.all(ids.map((id) => client.get(`/api/contacts/${id}${below}`)))
  return sorted(ids.filter((_, nth) => answers[nth]?.status === 200))
}

const STATES = 'open,pending,snoozed,closed'

/** Returns every way to learn of contacts over HTTP, with the contacts that it shows a person. */
async function shownTo({ client }: Watcher, history: SightHistory): Promise<Loose> {
  const ids = history.contactIds()
  const conversations = await itemsOf(client, `/api/conversations?limit=100&state=${STATES}`)
  const preview = await client.post('/api/segments/preview', {
    filter: { field: 'created_at', op: 'gte', value: '2020-01-01' },
  })
  return {
    'the list': idsOf(await itemsOf(client, '/api/contacts?limit=100')),
    'the list by name': idsOf(await itemsOf(client, '/api/contacts?limit=100&sort=name')),
    'a search': idsOf(await itemsOf(client, '/api/contacts?limit=100&search=customer')),
    'the total': answerOf(await client.get('/api/contacts?limit=1'))['total'] ?? 0,
    'contacts by ID': await answeredTo(client, ids, ''),
    'messages of a contact': await answeredTo(client, ids, '/messages'),
    conversations: contactsOf(conversations),
    'texts found': contactsOf(await itemsOf(client, '/api/messages/search?q=text&limit=100')),
    'a segment': answerOf(preview)['count'] ?? 0,
  }
}

/** Compares all that a person is shown with the rules. */
async function compare(history: SightHistory, person: Watcher): Promise<void> {
  const seen = sorted(history.seenBy(person))
  const { last } = history
  expect({ last, ...(await shownTo(person, history)) }).toEqual({
    last,
    ...{ 'the list': seen, 'the list by name': seen, 'a search': seen, 'the total': seen.length },
    ...{ 'contacts by ID': seen, 'messages of a contact': seen, conversations: seen },
    ...{ 'texts found': seen, 'a segment': seen.length },
  })
}

/** Compares who hears of a message with the rules of the moment. */
async function compareHeard(history: SightHistory): Promise<void> {
  const { contactId, text } = await history.say()
  for (const person of history.people) {
    const frames = await history.newFrames(person)
    const heard = frames.filter(
      ({ type, payload }) => type === 'message:new' && payload['content']?.text === text,
    )
    const isSeen = history.seenBy(person).includes(contactId)
    expect([history.last, person.userId, heard.length]).toEqual([
      history.last,
      person.userId,
      isSeen ? 1 : 0,
    ])
  }
}

/**
 * Plays one step and compares who is told last that a contact is gone with who lost sight of it.
 */
async function stepAndCompareLosses(history: SightHistory): Promise<void> {
  const before = history.people.map((person) => history.seenBy(person))
  await history.step()
  for (const [nth, person] of history.people.entries()) {
    const frames = await history.newFrames(person)
    if (!history.isTold) continue
    const seen = history.seenBy(person)
    const told = new Map<string, boolean>()
    for (const { type, payload } of frames)
      if (type === 'contact:updated') told.set(String(payload['id']), Boolean(payload['visible']))
    const lost = before[nth]?.filter((id) => !seen.includes(id)) ?? []
    const untold = lost.filter((id) => told.get(id) !== false)
    const wronglyTold = seen.filter((id) => told.get(id) === false)
    const { last } = history
    expect({ last, untold, wronglyTold }).toEqual({ last, untold: [], wronglyTold: [] })
  }
}

async function compareExports(history: SightHistory): Promise<void> {
  for (const person of history.people.filter(({ permissions }) =>
    permissions.has('contacts:export'),
  )) {
    if (!person.permissions.has('contacts:read')) continue
    const { lines } = await exported(history.desk.world, person.client, {
      table: 'contacts',
      columns: ['id'],
    })
    expect(lines.slice(1).toSorted()).toEqual(sorted(history.seenBy(person)))
  }
}

for (let nth = 0; nth < HISTORIES; nth += 1)
  test(`contacts are shown to whom the rules name, whatever happened (${nth})`, async () => {
    await using history = await SightHistory.begin(nth + 1)
    for (let step = 1; step <= STEPS; step += 1) {
      await stepAndCompareLosses(history)
      await compareHeard(history)
      expect([history.last, history.storedViewers()]).toEqual([history.last, history.viewersNow()])
      if (step % COMPARED_EVERY !== 0) continue
      for (const person of history.people) await compare(history, person)
    }
    await compareExports(history)
  }, 120_000)
