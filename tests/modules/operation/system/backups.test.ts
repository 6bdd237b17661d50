import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { unpackArchive } from '../../../../src/infra/backup/archive'
import { smallDisk } from '../../../chaos/disks'
import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let admin: Client

/** A super admin who has just signed in. */
const fresh = (of: World = world): Promise<Client> => of.signIn(of.emailOf('super', of.tenant))

beforeAll(async () => {
  world = await World.create({ tenants: 1 })
  world.stays('backups')
  // Notices go to super admins who belong somewhere; the one of the world belongs nowhere.
  world.rows("update users set is_super_admin = 1 where email like 'manager@%'")
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const folderOf = (id: unknown, of: World = world): string =>
  join(of.program.http.backups.folder ?? '', String(id))

describe('a requested backup', () => {
  let made: Loose

  test('is being created first, and a second request is rejected meanwhile', async () => {
    const { data } = await upload(admin, {
      bytes: new TextEncoder().encode('the price list'),
      type: 'text/plain',
    })
    expect(data['id']).toBeString()
    await world.contactOf()
    const client = await fresh()
    const { status, data: begun } = await client.post('/api/admin/backups', {
      label: 'Before the move',
    })
    expect(status).toBe(201)
    expect(begun).toMatchObject({
      state: 'running',
      label: 'Before the move',
      automatic: false,
      verified: false,
      sha256: null,
    })
    expect((await client.get(`/api/admin/backups/${begun['id']}`)).data).toEqual(begun)
    const refusals = await Promise.all([
      client.post('/api/admin/backups'),
      client.delete(`/api/admin/backups/${begun['id']}`),
      client.get(`/api/admin/backups/${begun['id']}/download`),
    ])
    expect(refusals.map(({ status: refused, body }) => [refused, body.code])).toEqual([
      [409, 'backup_running'],
      [409, 'backup_running'],
      [409, 'backup_unfinished'],
    ])
    made = begun
  })

  test('is a database of its own with every row, and the files', async () => {
    await world.settle()
    const client = await fresh()
    const { data } = await client.get(`/api/admin/backups/${made['id']}`)
    expect(data).toMatchObject({
      state: 'completed',
      verified: true,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      schema_version: world.rows('select max(tag) as tag from schema_migrations')[0]?.['tag'],
      files: { count: 1, size_bytes: 'the price list'.length, missing: 0 },
      error: null,
    })
    expect((data['row_counts'] as Loose)['contacts']).toBe(1)
    const copy = new Database(join(folderOf(made['id']), 'switchboard.sqlite'), { readonly: true })
    expect(copy.query('select count(*) as n from messages').get()).toEqual({ n: 1 })
    copy.close()
    const { data: page } = await client.get('/api/admin/backups')
    expect(page).toMatchObject({ items: [data], total: 1, page: 1 })
  })

  test('can be downloaded after a recent sign-in, as one file', async () => {
    const client = await fresh()
    world.clock.advance({ minutes: 5, seconds: 1 })
    const late = await client.get(`/api/admin/backups/${made['id']}/download`)
    expect([late.status, late.body.code]).toEqual([403, 'fresh_login_required'])
    const answer = await fetch(`${world.url}/api/admin/backups/${made['id']}/download`, {
      headers: (await fresh()).headers,
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="switchboard-20261121T0930.zip"',
    )
    const bytes = await answer.bytes()
    const folder = mkdtempSync(join(tmpdir(), 'download-'))
    writeFileSync(join(folder, 'backup.zip'), bytes)
    expect(await unpackArchive(join(folder, 'backup.zip'), join(folder, 'unpacked'))).toMatchObject(
      { id: made['id'], state: 'completed' },
    )
    expect(readdirSync(join(folder, 'unpacked')).toSorted()).toEqual([
      'files.txt',
      'manifest.json',
      'media',
      'switchboard.sqlite',
    ])
    rmSync(folder, { recursive: true })
  })

  test('requires a signed-in super admin', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${made['id']}`],
      ['DELETE', `/${made['id']}`],
      ['GET', `/${made['id']}/download`],
    ] as const)
      expect((await admin.request(method, `/api/admin/backups${path}`)).body.code).toBe(
        'super_admin_required',
      )
    expect((await admin.get('/api/admin/info')).body.code).toBe('super_admin_required')
  })

  test('is recorded in the audit log and can be deleted', async () => {
    const client = await fresh()
    expect((await client.delete(`/api/admin/backups/${made['id']}`)).status).toBe(200)
    expect(existsSync(folderOf(made['id']))).toBe(false)
    expect((await client.get(`/api/admin/backups/${made['id']}`)).status).toBe(404)
    expect((await client.delete(`/api/admin/backups/${made['id']}`)).status).toBe(404)
    const actions = world
      .rows("select action from audit_logs where resource_type = 'backup' order by id")
      .map(({ action }) => action)
    expect(actions).toEqual(['created', 'downloaded', 'deleted'])
  })
})

test('a corrupt copy is no backup, and super admins are notified', async () => {
  const { sqlite } = world.program.http.db
  sqlite.run('pragma foreign_keys = off')
  changeRows(sqlite, "update memberships set role_id = x'00' where user_id = ?", [
    world.tenant.userIds.agent,
  ])
  const client = await fresh()
  const { data } = await client.post('/api/admin/backups', { verify: true })
  await world.settle()
  const failed = (await client.get(`/api/admin/backups/${data['id']}`)).data
  expect(failed).toMatchObject({
    state: 'failed',
    verified: false,
    sha256: null,
    error: expect.stringContaining('memberships'),
  })
  expect(readdirSync(folderOf(data['id']))).toEqual(['manifest.json'])
  const { data: notices } = await (await world.as('manager')).get('/api/me/notifications')
  expect(notices['items']).toMatchObject([{ kind: 'backup_failed', severity: 'critical' }])
  changeRows(sqlite, 'update memberships set role_id = ? where user_id = ?', [
    world.tenant.roleIds.agent,
    world.tenant.userIds.agent,
  ])
  sqlite.run('pragma foreign_keys = on')
})

test('a backup whose process ended is created again; one without a job was interrupted', async () => {
  const client = await fresh()
  const { data: cut } = await client.post('/api/admin/backups')
  writeFileSync(join(folderOf(cut['id']), 'switchboard.sqlite'), 'half a copy')
  await world.settle()
  expect((await client.get(`/api/admin/backups/${cut['id']}`)).data).toMatchObject({
    state: 'completed',
    verified: true,
  })
  const { data: lost } = await client.post('/api/admin/backups', { verify: false })
  world.rows("delete from jobs where kind = 'system.backup' and state = 'available'")
  expect((await client.get(`/api/admin/backups/${lost['id']}`)).data).toMatchObject({
    state: 'failed',
    error: 'The backup was interrupted.',
  })
  expect((await client.post('/api/admin/backups', { verify: false })).status).toBe(201)
  await world.settle()
})

test('a backup that does not fit on its disk is rejected until it does', async () => {
  const disk = smallDisk(560)
  if (!disk) return // no disk of its own is to be had here; the command's test looks at the same reckoning
  try {
    await using own = await World.create({
      tenants: 1,
      isConnected: false,
      env: { BACKUP_DIR: disk.folder },
    })
    const large = join(own.filesFolder, 'ab', 'c'.repeat(30))
    mkdirSync(dirname(large), { recursive: true })
    writeFileSync(large, '')
    truncateSync(large, 64 * 1024 * 1024)
    const refused = await (await fresh(own)).post('/api/admin/backups')
    expect([refused.status, refused.body.code]).toEqual([503, 'disk_full'])
    expect(refused.body.message).toContain('MiB must be free')
    expect(readdirSync(disk.folder)).toEqual([])
    truncateSync(large, 1024)
    const { data } = await (await fresh(own)).post('/api/admin/backups')
    await own.settle()
    expect((await (await fresh(own)).get(`/api/admin/backups/${data['id']}`)).data['state']).toBe(
      'completed',
    )
  } finally {
    disk.remove()
  }
})

test('automatic backups are created, and the newest are kept', async () => {
  await using own = await World.create({
    tenants: 1,
    isConnected: false,
    env: {
      BACKUP_INTERVAL_HOURS: '12',
      BACKUP_KEEP: '2',
      METRICS_TOKEN: 'a-metrics-token-of-this-test',
    },
  })
  own.stays('backups')
  const startsOf = async (): Promise<unknown[]> => {
    await own.settle()
    const { data } = await (await fresh(own)).get('/api/admin/backups')
    return (data['items'] as Loose[]).map((one) => [
      (one['started_at'] as string).slice(8, 16),
      one['automatic'],
      one['state'],
    ])
  }
  own.rows('update schema_migrations set applied_at_ms = ?', own.clock.nowMs())
  expect(await startsOf()).toEqual([])
  const seen: unknown[] = []
  for (let hour = 0; hour < 48; hour += 6) {
    own.clock.advance({ hours: 6 })
    seen.push((await startsOf()).length)
  }
  expect(seen).toEqual([0, 1, 1, 2, 2, 2, 2, 2])
  expect(await startsOf()).toEqual([
    ['23T09:30', true, 'completed'],
    ['22T21:30', true, 'completed'],
  ])
  const metrics = await fetch(`${own.url}/metrics`, {
    headers: { authorization: 'Bearer a-metrics-token-of-this-test' },
  })
  expect(await metrics.text()).toContain(
    `backup_last_success_timestamp_seconds ${Date.UTC(2026, 10, 23, 9, 30) / 1_000}\n`,
  )
})

test("copies from before upgrades are kept as long as automatic backups of their age, the newest for a week, and others' files for ever", async () => {
  await using own = await World.create({
    tenants: 1,
    isConnected: false,
    env: { BACKUP_INTERVAL_HOURS: '12', BACKUP_KEEP: '2' },
  })
  const folder = own.program.http.backups.folder ?? ''
  mkdirSync(folder, { recursive: true })
  const copy = (tag: string, agoHours: number): string =>
    `before-${tag}-${own.clock.nowMs() - agoHours * 3_600_000}.sqlite`
  const [older, old, newest] = [
    copy('0003_third', 72),
    copy('0004_fourth', 48),
    copy('0005_fifth', 1),
  ]
  for (const name of [older, old, newest, 'before-the-move.sqlite'])
    writeFileSync(join(folder, name), 'a copy')
  const kept = async (): Promise<string[]> => {
    await own.settle()
    return readdirSync(folder).filter((name) => name.startsWith('before-'))
  }
  own.rows('update schema_migrations set applied_at_ms = ?', own.clock.nowMs())
  own.clock.advance({ hours: 1 })
  expect((await kept()).toSorted()).toEqual(
    [older, old, newest, 'before-the-move.sqlite'].toSorted(),
  )
  own.clock.advance({ hours: 12 })
  expect((await kept()).toSorted()).toEqual([old, newest, 'before-the-move.sqlite'].toSorted())
  const backups = async (): Promise<unknown> =>
    (await (await fresh(own)).get('/api/admin/backups')).data['total']
  for (const step of [...Array.from({ length: 12 }, () => 12), 9]) {
    own.clock.advance({ hours: step })
    expect((await kept()).includes(newest)).toBe(true)
  }
  expect((await kept()).toSorted()).toEqual([newest, 'before-the-move.sqlite'].toSorted())
  expect(await backups()).toBe(2)
  own.clock.advance({ hours: 12 })
  expect(await kept()).toEqual(['before-the-move.sqlite'])
})

test('one backup that is kept does not cost the way back, nor the copy the backup', async () => {
  await using own = await World.create({
    tenants: 1,
    isConnected: false,
    env: { BACKUP_INTERVAL_HOURS: '1', BACKUP_KEEP: '1' },
  })
  const folder = own.program.http.backups.folder ?? ''
  mkdirSync(folder, { recursive: true })
  own.rows('update schema_migrations set applied_at_ms = ?', own.clock.nowMs())
  own.clock.advance({ hours: 2 })
  await own.settle()
  const copy = `before-0001_next-${own.clock.nowMs()}.sqlite`
  writeFileSync(join(folder, copy), 'a copy')
  for (const hours of [1, 1, 48]) {
    own.clock.advance({ hours })
    await own.settle()
    expect(existsSync(join(folder, copy))).toBe(true)
    expect((await (await fresh(own)).get('/api/admin/backups')).data['items']).toHaveLength(1)
  }
})

test('installation details are shown to super admins, without secrets', async () => {
  const { status, data, text } = await (
    await fresh()
  )
    .get('/api/admin/info')
    .then((answer) => ({ ...answer, text: JSON.stringify(answer.body) }))
  expect(status).toBe(200)
  expect(data).toMatchObject({
    version: world.program.http.version,
    sqlite: expect.stringMatching(/^3\.\d+\.\d+$/),
    schema: { version: expect.stringMatching(/^\d{4}_/), migrations: expect.any(Number) },
    settings: {
      PORT: 8080,
      SECRET_KEY: 'unset',
      SMTP_URL: 'unset',
      BACKUP_KEEP: 7,
      METRICS_TOKEN: 'unset',
    },
    counts: { organizations: 1, contacts: 1 },
  })
  for (const secret of ['world-app-secret', 'world-verify-token', world.tenant.token])
    expect(text).not.toContain(secret)
})
