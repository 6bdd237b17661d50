import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkpointsInThread, type CheckpointThread } from '../../src/infra/checkpoints/thread'

const folder = mkdtempSync(join(tmpdir(), 'switchboard-checkpoints-'))
const path = join(folder, 'some.sqlite')

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const thread = (): CheckpointThread => new Worker(new URL('../../src/checkpoint-worker.ts', import.meta.url).href)
const pagesOf = (sqlite: Database): unknown => Object.values(sqlite.query('pragma wal_autocheckpoint').get() ?? {})[0]

/** Waits until something holds, for at most ten seconds. */
async function until(holds: () => boolean): Promise<void> {
  const untilMs = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > untilMs) throw new Error('that did not happen within ten seconds')
    await Bun.sleep(10)
  }
}

test('the log is worked into the file beside the writing, until the last one who asked for it has enough; a thread that fails changes nothing', async () => {
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
  const releases = [checkpoints.beside(), checkpoints.beside()]
  expect([pagesOf(sqlite), threads.length]).toEqual([8_000, 1])
  sqlite
    .query(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) insert into texts select hex(randomblob(2000)) from n',
    )
    .run()
  await until(() => statSync(path).size > 4_000_000)
  releases[0]?.()
  releases[0]?.()
  expect(pagesOf(sqlite)).toBe(8_000)
  releases[1]?.()
  expect(pagesOf(sqlite)).toBe(1_000)
  const failing = checkpoints.beside()
  expect([pagesOf(sqlite), threads.length]).toEqual([8_000, 2])
  threads[1]?.onerror?.(new ErrorEvent('error', { message: 'no such file' }))
  expect(pagesOf(sqlite)).toBe(1_000)
  failing()
  expect([pagesOf(sqlite), sqlite.query('select count(*) as n from texts').get()]).toEqual([1_000, { n: 1_000 }])
  sqlite.close()
})
