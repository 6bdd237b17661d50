import { expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { BotWorld } from '../support/bots'
import { runCommand } from '../support/command'
import { ROOT_KEY } from '../support/world'

test('a restore ends active sessions of the bot without a message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'restored-bots-'))
  await using bot = await BotWorld.create()
  await bot.flow([
    ['hello', 'message', { message: 'One moment.' }],
    ['wait', 'delay', { seconds: 60 }],
    ['later', 'message', { message: 'Here I am.' }],
  ])
  expect(await bot.say('begin')).toEqual(['One moment.'])
  const backup = join(folder, 'backup.sqlite')
  writeFileSync(backup, bot.world.program.http.db.sqlite.serialize())
  const env = { DATA_DIR: join(folder, 'data'), SECRET_KEY: ROOT_KEY.toString('hex') }
  const restored = await runCommand(['restore', backup, '--json'], { cwd: folder, env })
  expect([restored.code, restored.errors]).toEqual([0, ''])
  expect(JSON.parse(restored.out)).toMatchObject({ bot_sessions_ended: 1 })
  const db = new Database(join(folder, 'data', 'switchboard.sqlite'), { readonly: true })
  expect(db.query('select status, end_reason, waiting_for from bot_sessions').all()).toEqual([
    { status: 'failed', end_reason: 'restored', waiting_for: null },
  ])
  expect(db.query('select distinct state from conversations').all()).toEqual([{ state: 'open' }])
  db.close()
  rmSync(folder, { recursive: true })
})
