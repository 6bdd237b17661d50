import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { lockDataDir } from '../../src/infra/data-dir'
import { runCommand } from '../support/command'
import { unusedPartsOf } from '../support/unused-parts'
import { freshDatabase } from '../support/world'

const MARKER = 'a copy of an erased row'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-compact-'))
  path = join(folder, 'switchboard.sqlite')
  writeFileSync(path, freshDatabase().serialize())
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const compact = (...args: string[]) =>
  runCommand(['compact', ...args], { cwd: folder, env: { DATA_DIR: folder } })

/** Leaves a copy of a row where SQLite leaves it when it splits a page. */
function leaveCopy(): void {
  const bytes = readFileSync(path)
  const part = unusedPartsOf(bytes).find(({ start, end }) => end - start > MARKER.length)
  if (!part) throw new Error('no page has so much unused space')
  bytes.write(MARKER, part.start, 'latin1')
  writeFileSync(path, bytes)
}

test('writes the database without copies of deleted rows and without their space', async () => {
  using database = new Database(path)
  database.run('create table large (text text)')
  database.run(
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200) insert into large select hex(zeroblob(4000)) from n',
  )
  database.run('drop table large')
  database.close()
  leaveCopy()
  const before = statSync(path).size
  const { code, out } = await compact('--json')
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { bytes_before: before, bytes_after: statSync(path).size },
  ])
  expect(statSync(path).size).toBeLessThan(before - 1_000_000)
  expect(readFileSync(path).includes(MARKER)).toBe(false)
  using after = new Database(path, { readonly: true })
  expect(after.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('is refused while a server uses the data folder', async () => {
  leaveCopy()
  const lock = lockDataDir({ path: folder, databasePath: path, backupsPath: '' })
  const { code, errors } = await compact()
  lock.release()
  expect([code, errors]).toEqual([1, expect.stringContaining('Stop it first.')])
  expect(readFileSync(path).includes(MARKER)).toBe(true)
})
