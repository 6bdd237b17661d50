import { expect, test } from 'bun:test'

import { batch } from '../../simulator/payloads'
import type { Loose } from '../../support/client'
import { lineOf, textTo } from '../../support/lines'
import { World } from '../../support/world'

const pragma = (world: World, setting: string): void => void world.program.http.db.sqlite.run(`pragma ${setting}`)

const pagesOf = (world: World): number => world.rows<{ page_count: number }>('pragma page_count')[0]?.page_count ?? 0

/** Real trouble of the database: how to bring it about, and how it ends. */
const TROUBLES: [string, (world: World) => void, (world: World) => void][] = [
  ['cannot be written', (world) => pragma(world, 'query_only = on'), (world) => pragma(world, 'query_only = off')],
  ['is full', (world) => pragma(world, `max_page_count = ${pagesOf(world)}`), (world) => pragma(world, 'max_page_count = 1073741823')],
]

test.each(TROUBLES)('while the database %s deliveries are answered 503, and stored when they come again', async (_, begin, end) => {
  await using world = await World.create()
  const small = textTo(world, 'Small')
  const large = batch(1_000, { line: lineOf(world.tenant) })
  begin(world)
  const posted = await Promise.all([world.simulator.post(large), world.simulator.post(large)])
  for (const { status, headers, json } of posted) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(json).toMatchObject({ status: 'error', data: null })
  }
  end(world)
  expect(world.rows('select id from inbound_bodies')).toEqual([])
  expect((await Promise.all([world.simulator.post(large), world.simulator.post(small)])).map(({ status }) => status)).toEqual([200, 200])
  await world.settle()
  expect(world.rows('select count(*) as messages from messages')).toEqual([{ messages: 1_001 }])
  expect(world.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

test('what was accepted before the trouble is worked off after it, once', async () => {
  await using world = await World.create()
  for (const text of ['One', 'Two']) expect((await world.simulator.post(textTo(world, text))).status).toBe(200)
  pragma(world, 'query_only = on')
  const failure = await world.settle().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  pragma(world, 'query_only = off')
  await world.settle()
  expect(world.rows('select state, count(*) as events from inbound_events group by state')).toEqual([{ state: 'done', events: 2 }])
  expect((await (await world.as('manager')).get('/api/contacts')).data['items']).toMatchObject([{ unread_count: 2 }])
})

test('a backlog of more than ten minutes turns deliveries away until it is worked off', async () => {
  await using world = await World.create()
  expect((await world.simulator.post(textTo(world, 'First'))).status).toBe(200)
  world.clock.advance({ minutes: 10, seconds: 1 })
  const late = await world.simulator.post(textTo(world, 'Second'))
  expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([503, true])
  await world.settle()
  world.clock.advance({ seconds: 1 })
  expect((await world.simulator.post(textTo(world, 'Second'))).status).toBe(200)
})

test('a server that is stopping accepts nothing more', async () => {
  await using world = await World.create()
  world.program.journal.close()
  const posted = await world.simulator.post(textTo(world, 'Too late'))
  expect(posted.status).toBe(503)
  expect((posted.json as Loose)['message']).toBe('The server is stopping.')
  expect(world.rows('select id from inbound_bodies')).toEqual([])
})

test('many deliveries at once each get their own answer, and bad ones fail alone', async () => {
  await using world = await World.create()
  const posts = Array.from({ length: 60 }, (_, nth) =>
    world.simulator.post(textTo(world, `Text ${nth}`), nth % 3 === 0 ? { secret: 'wrong' } : {}),
  )
  const answered = (await Promise.all(posts)).map(({ status }) => status)
  expect(answered).toEqual(Array.from({ length: 60 }, (_, nth) => (nth % 3 === 0 ? 401 : 200)))
  await world.settle()
  expect(world.rows('select count(*) as messages from messages')).toEqual([{ messages: 40 }])
})
