import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../src/infra/db/connection'
import { checkpointsInThread, type CheckpointThread } from '../../src/infra/checkpoints/thread'
import { yieldToEventLoop } from '../../src/infra/event-loop'

const folder = mkdtempSync(join(tmpdir(), 'switchboard-checkpoints-'))
const path = join(folder, 'some.sqlite')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const thread = (): CheckpointThread =>
  new Worker(new URL('../../src/checkpoint-worker.ts', import.meta.url).href)
const pagesOf = (sqlite: Database): unknown =>
  Object.values(sqlite.query('pragma wal_autocheckpoint').get() ?? {})[0]

/** Waits until something holds, for at most ten seconds. */
async function until(holds: () => boolean): Promise<void> {
  const untilMs = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > untilMs) throw new Error('that did not happen within ten seconds')
    await Bun.sleep(10)
  }
}

test('checkpoints during bulk writes until the last one ends; a failing thread changes nothing', async () => {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('create table texts (text text)')
  sqlite.run('pragma wal_checkpoint(truncate)')
  const threads: CheckpointThread[] = []
  const checkpoints = checkpointsInThread(sqlite, path, () => {
    const made = thread()
    threads.push(made)
    return made
  })
  const releases = [checkpoints.duringBulkWrite(), checkpoints.duringBulkWrite()]
  expect([pagesOf(sqlite), threads.length]).toEqual([8_000, 1])
  sqlite
    .query(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) insert into texts select hex(randomblob(2000)) from n',
    )
    .run()
  await until(() => statSync(path).size > 4_000_000)
  releases[0]?.end()
  releases[0]?.end()
  expect(pagesOf(sqlite)).toBe(8_000)
  releases[1]?.end()
  expect(pagesOf(sqlite)).toBe(4_000)
  const failing = checkpoints.duringBulkWrite()
  expect([pagesOf(sqlite), threads.length]).toEqual([8_000, 2])
  threads[1]?.onerror?.(new ErrorEvent('error', { message: 'no such file' }))
  expect(pagesOf(sqlite)).toBe(4_000)
  await failing.whenShort()
  failing.end()
  expect([pagesOf(sqlite), sqlite.query('select count(*) as n from texts').get()]).toEqual([
    4_000,
    { n: 1_000 },
  ])
  sqlite.close()
})

test('a bulk writer waits for a long log, and the next commit restarts it', async () => {
  const at = join(folder, 'long.sqlite')
  const sqlite = new Database(at, { strict: true })
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('create table texts (text text)')
  const checkpoints = checkpointsInThread(sqlite, at, thread)
  const log = checkpoints.duringBulkWrite()
  await log.whenShort() // which it is
  const write = sqlite.query('insert into texts values (hex(randomblob(2000)))')
  let asked = 0
  for (let nth = 0; nth < 20_000 && asked < 4; nth += 1) {
    write.run()
    const fromMs = performance.now()
    await Promise.all([log.whenShort(), log.whenShort()])
    if (performance.now() - fromMs > 0.5) asked += 1
    if (nth % 10 === 0) await yieldToEventLoop()
  }
  log.end()
  // It never reached the length at which a commit would checkpoint it, although far more was
  // written.
  expect(statSync(`${at}-wal`).size).toBeLessThan(8_000 * 4_120)
  expect(
    sqlite.query<{ log: number }, []>('pragma wal_checkpoint(passive)').get()?.log,
  ).toBeLessThan(8_000)
  expect(asked).toBe(4)
  sqlite.close()
})

test('truncates the log after a large transaction', () => {
  const at = join(folder, 'once.sqlite')
  const { sqlite } = openDb(at, { synchronous: 'normal', cacheMib: 8 })
  sqlite.run('create table texts (text text)')
  const write = sqlite.query(
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) insert into texts select hex(randomblob(2000)) from n',
  )
  write.run(5_000)
  expect(statSync(`${at}-wal`).size).toBeGreaterThan(5_000 * 4_120)
  write.run(1)
  write.run(1)
  expect(statSync(`${at}-wal`).size).toBeLessThanOrEqual(4_000 * 4_120)
  sqlite.close()
})

test('empties the log in a thread so that deleted data is in no file, unless a reader is active', async () => {
  const place = join(folder, 'emptied.sqlite')
  const db = openDb(place, { synchronous: 'normal', cacheMib: 8 })
  const checkpoints = checkpointsInThread(db.sqlite, place, thread)
  db.sqlite.run('create table texts (text text)')
  db.sqlite.run("insert into texts values ('a secret word')")
  db.sqlite.run('delete from texts')
  const bytes = (): string =>
    [place, `${place}-wal`].map((file) => readFileSync(file).toString('latin1')).join('')
  expect(bytes()).toContain('a secret word')
  const reader = new Database(place, { readonly: true })
  reader.run('begin')
  reader.query('select * from texts').all()
  expect(await checkpoints.empty()).toBe(false)
  reader.run('commit')
  expect(await checkpoints.empty()).toBe(true)
  expect([statSync(`${place}-wal`).size, bytes().includes('a secret word')]).toEqual([0, false])
  reader.close()
  db.sqlite.close()
})
