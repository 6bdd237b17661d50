import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ServerProcess } from '../support/process'
import { backUp, restore, signInAt } from '../support/restored'
import { Desk, pathOf } from '../support/transfers'

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
  const backup = backUp(world, folder)
  const beforeMs = Date.now()
  const { options } = await restore(world, backup)
  await using server = await ServerProcess.start(options)
  const manager = await signInAt(server, world)
  const { data } = await manager.get(pathOf(transfer))
  expect(data).toMatchObject({ status: 'active', sla_breached: false, escalation_level: 0 })
  const minutesLeft = (field: string): number =>
    Math.floor((Date.parse(data[field] as string) - beforeMs) / 60_000)
  expect([minutesLeft('sla_resolution_deadline'), minutesLeft('expires_at')]).toEqual([60, 60])
  rmSync(folder, { recursive: true, force: true })
})
