import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb, setBusyTimeout } from '../../../../src/infra/db/connection'
import { batch } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { lineOf, textTo } from '../../../support/lines'
import { freshDatabase, World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const pragma = (world: World, setting: string): void =>
  void changeRows(world.program.http.db.sqlite, `pragma ${setting}`)

const pagesOf = (world: World): number =>
  world.rows<{ page_count: number }>('pragma page_count')[0]?.page_count ?? 0

/** Real trouble of the database: how to bring it about, and how it ends. */
const TROUBLES: [string, (world: World) => void, (world: World) => void][] = [
  [
    'cannot be written',
    (world) => pragma(world, 'query_only = on'),
    (world) => pragma(world, 'query_only = off'),
  ],
  [
    'is full',
    (world) => pragma(world, `max_page_count = ${pagesOf(world)}`),
    (world) => pragma(world, 'max_page_count = 1073741823'),
  ],
]

test.each(TROUBLES)(
  'while the database %s, answers deliveries with 503 and stores their retries',
  async (_, begin, end) => {
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
    expect(
      world.rows('select id from inbound_bodies union all select id from inbound_staging'),
    ).toEqual([])
    expect(
      (await Promise.all([world.simulator.post(large), world.simulator.post(small)])).map(
        ({ status }) => status,
      ),
    ).toEqual([200, 200])
    await world.settle()
    expect(world.rows('select count(*) as messages from messages')).toEqual([{ messages: 1_001 }])
    expect(world.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  },
)

/** What the log says of the storage. */
const told = (world: World): string[] =>
  world.logLines
    .map((line) => JSON.parse(line) as Loose)
    .filter(({ level, msg }) => level === 'error' || String(msg).includes('available again'))
    .map(({ msg }) => String(msg))

test.each(TROUBLES)(
  'while the database %s, answers writes with 503, serves reads and logs start and end once',
  async (what, begin, end) => {
    await using world = await World.create()
    world.stays('faults of a disk')
    await world.contactOf()
    const admin = await world.as('admin')
    begin(world)
    const note = { name: 'x'.repeat(60), content: 'y'.repeat(4_000), shortcut: null }
    const changes = await Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        admin.post('/api/canned-responses', { ...note, name: `answer ${nth}` }),
      ),
    )
    const refused = changes.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(20)
    for (const { headers, body } of refused)
      expect([headers.get('retry-after'), body.code]).toEqual(['5', 'storage_unavailable'])
    for (let nth = 0; nth < 20; nth += 1)
      await world.simulator.post(batch(200, { line: lineOf(world.tenant) }))
    expect((await admin.get('/api/contacts')).data['total']).toBe(1)
    // A full database still lets pages be written anew.
    if (what === 'cannot be written') expect((await world.anyone.get('/ready')).status).toBe(503)
    expect(told(world)).toHaveLength(1)
    end(world)
    world.clock.advance({ seconds: 6 })
    await world.settle()
    expect((await world.anyone.get('/ready')).status).toBe(200)
    expect((await admin.post('/api/canned-responses', { ...note, name: 'after all' })).status).toBe(
      201,
    )
    expect(told(world)).toHaveLength(2)
  },
)

test('delays deliveries during a short write lock, rejects them during a long one and serves reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-locked-'))
  const path = join(folder, 'db.sqlite')
  const fresh = freshDatabase()
  fresh.run('vacuum into ?', [path])
  fresh.close()
  const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
  setBusyTimeout(db, 50)
  await using world = await World.create({ db })
  const other = new Database(path)
  const admin = await world.as('admin')
  other.run('begin immediate')
  const short = world.simulator.post(textTo(world, 'Waits a little'))
  expect((await admin.get('/api/contacts')).status).toBe(200)
  other.run('rollback')
  expect((await short).status).toBe(200)

  other.run('begin immediate')
  const posted = await Promise.all(
    Array.from({ length: 5 }, (_, nth) => world.simulator.post(textTo(world, `Too long ${nth}`))),
  )
  expect(posted.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    posted.map(() => [503, '5']),
  )
  expect((await admin.get('/api/contacts')).status).toBe(200)
  other.run('rollback')
  other.close()
  await world.settle()
  expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 1 }])
  expect(told(world).filter((line) => line.includes('another process'))).toHaveLength(1)
  rmSync(folder, { recursive: true, force: true })
})

test('processes accepted deliveries once after a storage failure', async () => {
  await using world = await World.create()
  for (const text of ['One', 'Two'])
    expect((await world.simulator.post(textTo(world, text))).status).toBe(200)
  pragma(world, 'query_only = on')
  const failure = await world.settle().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  pragma(world, 'query_only = off')
  await world.settle()
  expect(world.rows('select state, count(*) as events from inbound_events group by state')).toEqual(
    [{ state: 'done', events: 2 }],
  )
  expect((await (await world.as('manager')).get('/api/contacts')).data['items']).toMatchObject([
    { unread_count: 2 },
  ])
})

test('rejects deliveries while the backlog is older than ten minutes', async () => {
  await using world = await World.create()
  expect((await world.simulator.post(textTo(world, 'First'))).status).toBe(200)
  world.clock.advance({ minutes: 10, seconds: 1 })
  const late = await world.simulator.post(textTo(world, 'Second'))
  expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([503, true])
  for (let nth = 0; nth < 5; nth += 1)
    expect((await world.simulator.post(textTo(world, 'Second'))).status).toBe(503)
  const lines = (): string[] =>
    world.logLines.filter((line) => /webhooks (?:rejected|accepted)/.test(line))
  expect(lines()).toHaveLength(1)
  await world.settle()
  world.clock.advance({ seconds: 1 })
  expect((await world.simulator.post(textTo(world, 'Second'))).status).toBe(200)
  expect(lines()).toHaveLength(2)
})

test('rejects deliveries while the server stops', async () => {
  await using world = await World.create()
  world.program.journal.close()
  const posted = await world.simulator.post(textTo(world, 'Too late'))
  expect(posted.status).toBe(503)
  expect((posted.json as Loose)['message']).toBe('The server is shutting down.')
  expect(
    world.rows('select id from inbound_bodies union all select id from inbound_staging'),
  ).toEqual([])
})

test('answers concurrent deliveries individually; invalid ones fail alone', async () => {
  await using world = await World.create()
  const posts = Array.from({ length: 60 }, (_, nth) =>
    world.simulator.post(textTo(world, `Text ${nth}`), nth % 3 === 0 ? { secret: 'wrong' } : {}),
  )
  const answered = (await Promise.all(posts)).map(({ status }) => status)
  expect(answered).toEqual(Array.from({ length: 60 }, (_, nth) => (nth % 3 === 0 ? 401 : 200)))
  await world.settle()
  expect(world.rows('select count(*) as messages from messages')).toEqual([{ messages: 40 }])
})
