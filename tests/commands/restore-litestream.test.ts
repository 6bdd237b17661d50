import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runCommand, type CommandResult } from '../support/command'
import { ServerProcess } from '../support/process'
import { changeRows } from '../support/sql'

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'restore-litestream-'))
  const env = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: 'correct horse battery',
    PASSWORD_MEMORY_MIB: '8',
  }
  await using server = await ServerProcess.start({ cwd: folder, env })
  expect(await server.stop()).toBe(0)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Restores the database into an empty folder after changing it. */
async function restored(name: string, ...changes: string[]): Promise<CommandResult> {
  const copy = join(folder, `${name}.sqlite`)
  copyFileSync(join(folder, 'data', 'switchboard.sqlite'), copy)
  const database = new Database(copy)
  for (const change of changes) changeRows(database, change)
  database.close()
  const target = join(folder, name)
  mkdirSync(target, { mode: 0o700 })
  copyFileSync(join(folder, 'data', 'secret.key'), join(target, 'secret.key'))
  return await runCommand(['restore', copy, '--yes'], { cwd: folder, env: { DATA_DIR: target } })
}

const TABLES = [
  'CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);',
  'CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);',
]

test('restores a database copied by Litestream together with its two bookkeeping tables', async () => {
  const { code, errors } = await restored(
    'copied',
    ...TABLES,
    'insert into _litestream_seq values (1, 7)',
  )
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})

test('refuses tables with similar names and objects attached to them', async () => {
  const other = await restored(
    'other',
    'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER, more TEXT)',
  )
  expect([other.code, other.errors]).toEqual([
    1,
    expect.stringContaining('the table _litestream_seq does not belong to it'),
  ])
  const trigger = 'create trigger t after insert on _litestream_seq begin delete from users; end'
  const hung = await restored('hung', ...TABLES, trigger)
  expect([hung.code, hung.errors]).toEqual([
    1,
    expect.stringContaining('the trigger t does not belong to it'),
  ])
})
