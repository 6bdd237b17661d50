import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ReplicaWatch } from '../../src/infra/replica/watch'
import { MovableClock } from '../support/clock'
import { freshDatabase } from '../support/world'

const START_MS = Date.UTC(2026, 10, 21, 9, 30, 0)

let folder: string
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replica-'))
  path = join(folder, 'follower.sqlite')
  using database = freshDatabase()
  database.query('vacuum into ?').run(path)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lets the follower have a change of this time. */
function changeAt(atMs: number): void {
  using database = new Database(path)
  database
    .query('insert or replace into job_schedules (name, slot_ms) values (?, ?)')
    .run('bot.sweep', atMs)
}

test('a follower that stands still is reported once, and again when it follows', async () => {
  const clock = new MovableClock(START_MS)
  const lines: string[] = []
  const log = {
    error: (_: unknown, text: string) => void lines.push(text),
    info: (_: unknown, text: string) => void lines.push(text),
  } as unknown as ConstructorParameters<typeof ReplicaWatch>[0]['log'] // the watch logs only so
  changeAt(START_MS - 20_000)
  const thread = () => new Worker(new URL('../../src/replica-worker.ts', import.meta.url).href)
  const watch = new ReplicaWatch({ clock, log }, path, thread)
  watch.start()
  try {
    await watch.look()
    expect([watch.ageS, lines]).toEqual([20, []])
    clock.advance({ seconds: 40 })
    for (let round = 0; round < 2; round += 1) await watch.look()
    expect([watch.ageS, lines.length]).toEqual([60, 1])
    changeAt(START_MS + 39_000)
    await watch.look()
    expect(watch.ageS).toBe(1)
    await watch.look()
    expect(lines).toEqual([
      'the follower stands still; what changes now is lost if this machine fails',
      'the follower follows again',
    ])
  } finally {
    watch.stop()
  }
})
