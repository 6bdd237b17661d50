import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { knownMigrations } from '../../src/infra/db/migrate'
import { VERSION } from '../../src/version'
import type { Loose } from '../support/client'
import { heldInstallation, migratingAt } from '../support/migrating'
import { ServerProcess } from '../support/process'

const folder = mkdtempSync(join(tmpdir(), 'migrating-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('during a migration the server is live but not ready and rejects requests', async () => {
  const { env, letGo } = heldInstallation(join(folder, 'held'))
  await using server = ServerProcess.spawn({ cwd: folder, env })
  const url = await migratingAt(server)

  const health = await fetch(`${url}/health`)
  expect([health.status, await health.json()]).toEqual([
    200,
    {
      status: 'success',
      data: { status: 'ok', version: VERSION, uptime_seconds: expect.any(Number) },
    },
  ])
  expect(await (await fetch(`${url}/health`, { method: 'HEAD' })).text()).toBe('')
  const ready = await fetch(`${url}/ready`, { headers: { 'x-request-id': 'request-of-mine' } })
  expect([
    ready.status,
    ready.headers.get('retry-after'),
    ready.headers.get('x-request-id'),
  ]).toEqual([503, '5', 'request-of-mine'])
  expect(await ready.json()).toEqual({
    status: 'error',
    data: null,
    message: 'The database is being migrated. Try again in a moment.',
    code: 'not_ready',
    details: { migrations: 'The database is being migrated. Try again in a moment.' },
  })
  const others = await Promise.all([
    fetch(`${url}/api/webhook`, { method: 'POST', body: '{"object":"whatsapp_business_account"}' }),
    fetch(`${url}/api/contacts`),
    fetch(`${url}/ws?token=x`),
    fetch(`${url}/metrics`),
    fetch(`${url}/`),
    fetch(`${url}/health`, { method: 'POST' }),
  ])
  for (const { status, headers } of others) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('strict-transport-security')).toContain('max-age')
  }

  letGo()
  await server.listening()
  const told = (msg: string): Loose =>
    JSON.parse(server.lines.find((line) => line.includes(`"msg":"${msg}"`)) ?? '{}') as Loose
  expect(told('migrating')).toMatchObject({ database_mib: 1, expected_seconds: 1 })
  expect(told('migrations applied')['seconds']).toBeGreaterThan(0)
  expect(server.url).toBe(url)
  const after = await fetch(`${url}/ready`)
  const readiness = (await after.json()) as Loose
  // Only the disk of the machine may be a reason left.
  expect(
    Object.keys((readiness['details'] as Loose | undefined) ?? {}).filter(
      (check) => check !== 'disk',
    ),
  ).toEqual([])
  expect((await fetch(`${url}/api/contacts`)).status).toBe(401)
  expect(await server.stop()).toBe(0)
})

test('a server stopped during a migration ends at once, and the next start continues', async () => {
  const { env, path, letGo } = heldInstallation(join(folder, 'stopped'))
  {
    await using server = ServerProcess.spawn({ cwd: folder, env })
    await migratingAt(server)
    expect(await server.stop()).toBe(0)
    expect(server.complaints()).toEqual([])
    expect(server.lines.at(-1)).toContain(
      'stopped during the migration; the database was not changed',
    )
  }
  letGo()
  const tags = (): unknown => {
    const database = new Database(path, { readonly: true })
    const found = database.query('select count(*) as n from schema_migrations').get()
    database.close()
    return found
  }
  expect(tags()).toEqual({ n: 0 })
  await using server = await ServerProcess.start({ cwd: folder, env })
  expect(tags()).toEqual({ n: knownMigrations().length })
  expect(await server.stop()).toBe(0)
})

test('a failed migration ends the server with one sentence', async () => {
  const { env, path, letGo } = heldInstallation(join(folder, 'foreign'))
  letGo()
  const database = new Database(path)
  database.run('create table contacts (id integer primary key)')
  database.close()
  await using server = ServerProcess.spawn({ cwd: folder, env })
  expect(await server.ended()).toBe(1)
  expect(server.errors.trim().split('\n')).toEqual([
    expect.stringMatching(/^Migration failed: .+\. The database was not changed\.$/),
  ])
})
