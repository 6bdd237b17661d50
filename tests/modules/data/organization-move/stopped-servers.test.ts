import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { enliven } from '../../../support/lively-organization'
import { WorldPair } from '../../../support/moves'
import { Receiver } from '../../../support/receiver'
import { changedByStart, stopAtParts } from '../../../support/start-again'
import type { World } from '../../../support/world'

const AWAY: readonly unknown[] = ['moving', 'moved', 'importing']

test('servers that are stopped at all kinds of parts of a move change nothing at their start, and complete it', async () => {
  await using receiver = new Receiver()
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host }
  await using pair = await WorldPair.create({ tenants: 1, env })
  const { from, to, organization } = pair
  await enliven(from, receiver.url)
  // Everything that servers delete after some time is old enough by now.
  for (const world of [from, to]) {
    world.clock.advance({ hours: 24 * 800 })
    await world.settle()
  }
  to.clock.advance({ seconds: (from.clock.nowMs() - to.clock.nowMs()) / 1_000 })
  // A role of another version of the server.
  from.program.http.db.sqlite.run("delete from role_permissions where permission = 'tags:delete'")
  const [imported, source] = [
    stopAtParts(to, {
      first: 1,
      of: 'organization-import/run/',
      partNow: () =>
        String(to.rows<Loose>('select step from organization_imports')[0]?.['step'] ?? ''),
    }),
    stopAtParts(from, { of: 'organization-move/source/', partNow: () => pair.step }),
  ]
  const admin = await from.as('super')
  expect((await admin.post(pair.path, { to: to.url })).status).toBe(202)
  const changed: string[] = []
  const startAgain = async (world: World, name: string, state: unknown): Promise<void> => {
    if (!AWAY.includes(state)) return
    const tables = await changedByStart(world, organization)
    changed.push(...tables.map((table) => `${table} at the ${name} at ${pair.step}`))
  }
  for (let round = 0; round < 300 && pair.step !== 'completed'; round += 1) {
    expect(pair.step).not.toContain('abort')
    await pair.pass({ seconds: 1 })
    const [atSource, atTarget] = pair.states
    await startAgain(from, 'source', atSource)
    await startAgain(to, 'target', atTarget)
  }
  expect(changed).toEqual([])
  expect(pair.states).toEqual(['moved', 'active'])
  expect([...source.stopped].toSorted()).toEqual([
    ...['activating', 'completed', 'draining', 'exporting', 'freezing', 'importing', 'uploading'],
  ])
  expect(imported.parts.size).toBeGreaterThan(60)
  expect(imported.stopped.size).toBeGreaterThan(20)
}, 300_000)
