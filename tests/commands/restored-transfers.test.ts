import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from '../support/client'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'
import { Desk, pathOf } from '../support/transfers'
import { PASSWORD, ROOT_KEY } from '../support/world'

test('a restore lets the clocks of transfers count anew, so that nobody is warned at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'restored-'))
  await using desk = await Desk.create(1, { startMs: Date.now() - 7 * 86_400_000 })
  const { world } = desk
  await desk.settings({ sla_enabled: true, sla_warning_message: 'Sorry', sla_auto_close_hours: 1 })
  const transfer = await desk.transfer(0, { agent_id: world.tenant.userIds.agent })
  await desk.manager.post(`${await desk.inbox.contactPath(0)}/messages`, {
    type: 'text',
    text: 'One moment',
  })
  await world.settle()
  const backup = join(folder, 'backup.sqlite')
  writeFileSync(backup, world.program.http.db.sqlite.serialize())
  const env = {
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: ROOT_KEY.toString('hex'),
    PLATFORM_BASE_URL: world.simulator.url,
    PASSWORD_MEMORY_MIB: '8',
    BACKUP_INTERVAL_HOURS: '0',
    RATE_STANDARD: '0',
  }
  const beforeMs = Date.now()
  const restored = await runCommand(['restore', backup, '--json'], { cwd: folder, env })
  expect([restored.code, restored.errors]).toEqual([0, ''])
  await using server = await ServerProcess.start({ cwd: folder, env })
  const { data: session } = await new Client(server.url).post('/api/auth/login', {
    email: world.emailOf('manager', world.tenant),
    password: PASSWORD,
  })
  const manager = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
  const { data } = await manager.get(pathOf(transfer))
  expect(data).toMatchObject({ status: 'active', sla_breached: false, escalation_level: 0 })
  const minutesLeft = (field: string): number =>
    Math.floor((Date.parse(data[field] as string) - beforeMs) / 60_000)
  expect([minutesLeft('sla_resolution_deadline'), minutesLeft('expires_at')]).toEqual([60, 60])
  rmSync(folder, { recursive: true, force: true })
})
