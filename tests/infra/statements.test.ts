import { afterEach, expect, test } from 'bun:test'

import { deliver, textTo } from '../support/lines'
import { World } from '../support/world'

let world: World

afterEach(() => world.stop())

/** Returns the statements that `work` has built or compiled, each with how often. */
async function preparedBy(work: () => Promise<void>): Promise<Record<string, number>> {
  const { sqlite } = world.program.http.db
  const prepare = sqlite.prepare.bind(sqlite)
  const counts: Record<string, number> = {}
  sqlite.prepare = ((text: string, ...values: []) => {
    counts[text] = (counts[text] ?? 0) + 1
    return prepare(text, ...values)
  }) as typeof sqlite.prepare
  try {
    await work()
  } finally {
    sqlite.prepare = prepare
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
