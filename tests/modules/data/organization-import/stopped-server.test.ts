import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { enliven } from '../../../support/lively-organization'
import {
  archiveOf,
  packed,
  PASSPHRASE,
  type TestArchive,
} from '../../../support/organization-archive'
import { Receiver } from '../../../support/receiver'
import { changedByStart, stopAtParts } from '../../../support/start-again'
import { World } from '../../../support/world'

let source: World
let archive: TestArchive

const receiver = new Receiver()
const env = { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host }

beforeAll(async () => {
  source = await World.create({ env })
  await enliven(source, receiver.url)
  // A role of another version of the server.
  const { sqlite } = source.program.http.db
  sqlite.run("delete from role_permissions where permission = 'tags:delete'")
  archive = await archiveOf(source, source.tenant)
}, 120_000)
afterAll(async () => {
  await source.stop()
  await receiver[Symbol.asyncDispose]()
})

test('a server that is stopped at all kinds of parts of an import changes nothing of it at its start, and completes it', async () => {
  await using world = await World.create({ names: ['Crux'], firstId: 1_000_000, env })
  world.adopt(source.tenant)
  // Everything that servers delete after some time is old enough by now.
  world.clock.advance({ hours: 24 * 800 })
  await world.settle()
  const { data: started } = await upload(await world.as('super'), {
    ...{ bytes: await packed(archive), path: '/api/admin/organizations/import' },
    ...{ name: 'a.zip', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  const state = (): Loose =>
    world.rows<Loose>('select state, step, error from organization_imports')[0] ?? {}
  const { parts, stopped } = stopAtParts(world, {
    of: 'organization-import/run/',
    partNow: () => String(state()['step']),
  })
  const changed: string[] = []
  for (let run = 0; run < 200 && state()['state'] === 'running'; run += 1) {
    await world.work()
    if (state()['state'] !== 'running') break
    const tables = await changedByStart(world, source.tenant.id)
    changed.push(...tables.map((table) => `${table} at ${state()['step']}`))
  }
  expect(changed).toEqual([])
  const { data } = await (
    await world.as('super')
  ).get(`/api/admin/organizations/imports/${started['id']}`)
  expect(data).toMatchObject({ state: 'completed', error: null, conflicts: [] })
  expect(data['rows_done']).toBe(started['rows_total'])
  // The roles are those of this server.
  const mayDelete =
    "select 1 from role_permissions where permission = 'tags:delete' and organization_id = ?"
  expect(world.rows(mayDelete, source.tenant.id)).toHaveLength(2)
  // Every table with rows was a part.
  const tables = [...archive.parts].filter(([, rows]) => rows.length > 0).map(([name]) => name)
  const missed = tables.filter((name) => name !== 'users' && !parts.has(`rows of ${name}`))
  expect(missed).toEqual([])
  expect(stopped.size).toBeGreaterThan(20)
}, 300_000)
