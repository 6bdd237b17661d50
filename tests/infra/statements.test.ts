import { afterEach, expect, test } from 'bun:test'

import { deliver, textTo } from '../support/lines'
import { World } from '../support/world'

let world: World

afterEach(() => world.stop())

type Prepare = (text: string, ...rest: []) => object

/** Returns the statements that `work` has built or compiled, each with how often. */
async function preparedBy(work: () => Promise<void>): Promise<Record<string, number>> {
  const { sqlite, orm } = world.program.http.db
  const { $client } = orm as unknown as { $client: { prepare: Prepare } }
  const counts: Record<string, number> = {}
  const watched = [sqlite, $client] as { prepare: Prepare }[]
  const before = watched.map((client) => client.prepare)
  for (const client of watched) {
    const prepare = client.prepare.bind(client)
    client.prepare = (text, ...rest) => {
      counts[text] = (counts[text] ?? 0) + 1
      return prepare(text, ...rest)
    }
  }
  try {
    await work()
  } finally {
    for (const [nth, client] of watched.entries()) client.prepare = before[nth] as Prepare
  }
  return counts
}

test('a text, an answer and its statuses build no statement that was built before', async () => {
  world = await World.create()
  const contact = await world.contactOf()
  const api = await world.as('manager')
  const exchange = async (): Promise<void> => {
    await deliver(world, textTo(world, 'Where is my order?'))
    const { status } = await api.post(`/api/contacts/${String(contact['id'])}/messages`, {
      type: 'text',
      text: 'On its way',
    })
    expect(status).toBe(201)
    await world.settle() // sends it; the platform reports it as sent and delivered
  }
  expect(Object.keys(await preparedBy(exchange))).not.toEqual([])
  await exchange() // the second one finds open what the first one opened
  expect(await preparedBy(exchange)).toEqual({})
  expect(world.rows('select distinct status from message_statuses order by 1')).toEqual([
    { status: 'delivered' },
    { status: 'sent' },
  ])
})
