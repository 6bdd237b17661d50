import { expect, test } from 'bun:test'

import { batch } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { lineOf, secondsIn, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

const WAITING = 120

/**
 * Posts a delivery of 200 messages and, behind it, one of each of its last 120 customers. All are
 * stored and none is processed.
 */
async function postLongAndLater(world: World): Promise<void> {
  const line = lineOf(world.tenant)
  const long = batch(200, { line, timestamp: secondsIn(world) })
  const people = (valueOf(long)['contacts'] as Loose[])
    .slice(-WAITING)
    .map((contact) => String(contact['wa_id']))
  const later = people.map((waId, nth) =>
    textTo(world, `Later ${nth}`, { person: { waId }, timestamp: secondsIn(world), line }),
  )
  for (const webhook of [long, ...later])
    expect((await world.simulator.post(webhook)).status).toBe(200)
}

const open = (world: World): Loose[] =>
  world.rows('select state from inbound_events where state <> ?', 'done')

test('a long delivery and all that wait for it are processed, each customer in order', async () => {
  await using world = await World.create()
  await postLongAndLater(world)
  await world.settle()
  expect(open(world)).toEqual([])
  const messages = world.rows<{ contact: string; text: string }>(
    `select hex(contact_id) as contact, content ->> 'text' as text from messages order by id`,
  )
  expect(messages.length).toBe(200 + WAITING)
  const byContact = Map.groupBy(messages, ({ contact }) => contact)
  expect(byContact.size).toBe(200)
  const pairs = [...byContact.values()].filter(({ length }) => length === 2)
  expect(pairs.length).toBe(WAITING)
  for (const [first, second] of pairs)
    expect([first?.text, second?.text]).toEqual([
      expect.stringContaining('Text'),
      expect.stringContaining('Later'),
    ])
})

test('deliveries that wait for a long one continue at once when it is given up', async () => {
  await using world = await World.create()
  await postLongAndLater(world)
  // The rest of the long one cannot be processed: nothing can be written into its row any more
  // once a part is done.
  const { sqlite } = world.program.http.db
  sqlite.run(`create trigger stuck before update of messages on inbound_events when old.state = 'processing' and new.messages > old.messages
    begin select raise(abort, 'broken'); end`)
  await world.settle()
  expect(open(world).length).toBe(1 + WAITING)
  const [rest] = world.rows<{ id: string }>(
    `select id from jobs where kind = 'inbound.process' and state = 'retryable'`,
  )
  const superAdmin = await world.as('super')
  expect((await superAdmin.post(`/api/jobs/${rest?.id}/discard`)).status).toBe(200)
  await world.settle()
  expect(open(world)).toEqual([{ state: 'failed' }])
  expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 25 + WAITING }])
})
