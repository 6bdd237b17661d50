import { mkdirSync, writeFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { uuidToBytes } from '../../../../src/infra/db/uuid'
import { organizationTables } from '../../../../src/infra/organization-tables'
import { Client, type Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import {
  archiveOf,
  packed,
  PASSPHRASE,
  smallArchive,
  type TestArchive,
} from '../../../support/organization-archive'
import { PASSWORD, World } from '../../../support/world'

const IMPORT = '/api/admin/organizations/import'

let source: World
let archive: TestArchive
let apiKey: string

beforeAll(async () => {
  source = await World.create()
  const admin = await source.as('admin')
  await admin.post('/api/tags', { name: 'VIP' })
  apiKey = String(
    (await admin.post('/api/api-keys', { name: 'Till', permissions: ['contacts:read'] })).data[
      'key'
    ],
  )
  await upload(await source.as('manager'), {
    bytes: new TextEncoder().encode('a stored file '.repeat(50)),
    type: 'text/plain',
  })
  for (let round = 0; round < 20; round += 1)
    await source.simulator
      .customer({ phone: source.tenant.phoneId, waId: `4915112345${round + 100}` })
      .says(`Message ${round}`)
  await source.settle()
  archive = await archiveOf(source, source.tenant)
})
afterAll(() => source.stop())

const targetWorld = async (): Promise<World> => {
  const world = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  world.adopt(source.tenant)
  return world
}

/** Begins an import at once. */
async function begin(world: World, bytes: Uint8Array): Promise<Loose> {
  const { data } = await upload(await world.as('super'), {
    ...{ bytes, path: IMPORT, name: 'a.zip', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  return data
}

const importOf = async (world: World, { id }: Loose): Promise<Loose> =>
  (await (await world.as('super')).get(`/api/admin/organizations/imports/${id}`)).data

/** Ends transactions of the import as if the process were killed, by their number. */
function interrupt(world: World, isMeant: (count: number) => boolean): () => number {
  const { db } = world.program.http
  const { beforeCommit } = db
  let [times, count] = [0, 0]
  Object.assign(db, {
    beforeCommit: (...args: Parameters<typeof beforeCommit>) => {
      const isImport = new Error('for its stack').stack?.includes('organization-import/run/')
      if (isImport && isMeant(++count)) {
        times += 1
        throw new Error('interrupted')
      }
      beforeCommit(...args)
    },
  })
  return () => times
}

const rowsOf = (world: World): string[] => {
  const { db, tables } = world.program.http
  return organizationTables(db.sqlite, tables)
    .filter(
      ({ name, owner }) =>
        db.sqlite
          .query(`select 1 from "${name}" where "${owner}" = ?`)
          .get(uuidToBytes(source.tenant.id)) !== null,
    )
    .map(({ name }) => name)
}

describe('an import that is interrupted', () => {
  test('is invisible meanwhile, and continues until everything is there once', async () => {
    await using world = await targetWorld()
    const started = await begin(world, await packed(archive))
    const times = interrupt(world, (count) => [2, 9, 30, 60, 100].includes(count))
    for (let run = 0; run < 12; run += 1) {
      await world.settle()
      if ((await importOf(world, started))['state'] === 'completed') break
      await isInvisible(world)
      world.clock.advance({ minutes: 20 })
    }
    expect(times()).toBe(5)
    expect(await importOf(world, started)).toMatchObject({
      ...{ state: 'completed', error: null, conflicts: [] },
      rows_done: started['rows_total'],
    })
    const admin = await world.signIn(world.emailOf('admin', source.tenant))
    expect((await admin.get('/api/contacts')).data['total']).toBe(20)
    // What customers wrote meanwhile is there as soon as the number's token proves itself.
    expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 20 + times() }])
    expect(world.program.http.db.sqlite.query('pragma foreign_key_check').all()).toEqual([])
  })

  test('names counts that are not those of the archive', async () => {
    await using world = await targetWorld()
    const bytes = await packed(archive, (manifest) => ({
      ...manifest,
      totals: archive.manifest.totals.map((one) =>
        one.table === 'contact_counts' ? { ...one, total: one.total + 1 } : one,
      ),
    }))
    const started = await begin(world, bytes)
    await world.settle()
    expect(await importOf(world, started)).toMatchObject({
      state: 'completed',
      conflicts: [
        {
          kind: 'counts_differ',
          message: 'contact_counts.contacts adds up to 20 here and to 21 in the archive.',
        },
      ],
    })
  })

  /** Nobody can use the organization or sees it, and nothing reaches its number. */
  async function isInvisible(world: World): Promise<void> {
    const superAdmin = await world.as('super')
    const email = world.emailOf('admin', source.tenant)
    const attempts = [
      {
        isKnown: world.rows('select 1 from users where email = ?', email).length > 0,
        answer: await world.anyone.post('/api/auth/login', { email, password: PASSWORD }),
      },
      {
        isKnown: rowsOf(world).includes('api_keys'),
        answer: await new Client(world.url, { 'x-api-key': apiKey }).get('/api/contacts'),
      },
      {
        isKnown: rowsOf(world).includes('organizations'),
        answer: await new Client(world.url, {
          ...superAdmin.headers,
          'x-organization-id': source.tenant.id,
        }).get('/api/contacts'),
      },
    ]
    for (const { isKnown, answer } of attempts)
      if (isKnown) expect([answer.status, answer.body.code]).toEqual([503, 'organization_moving'])
    const { data } = await (await world.as('super')).get('/api/organizations')
    expect(JSON.stringify(data)).not.toContain(source.tenant.id)
    await world.simulator.customer({ phone: source.tenant.phoneId }).says('Too early')
    await world.work()
    expect(world.rows("select state from inbound_events where state <> 'unrouted'")).toEqual([])
  }
})

test('an import beside a running one is refused, at once and after a dry run', async () => {
  await using world = await targetWorld()
  const superAdmin = await world.as('super')
  const send = async (tenant: World['tenant'], dryRun: 'true' | 'false') =>
    upload(superAdmin, {
      ...{ path: IMPORT, name: 'b.zip', type: 'application/zip' },
      bytes: await packed(await archiveOf(source, tenant)),
      fields: { passphrase: PASSPHRASE, dry_run: dryRun },
    })
  const checked = await send(source.other, 'true')
  expect(checked.data['state']).toBe('checked')
  expect((await begin(world, await packed(archive)))['state']).toBe('running')
  const commit = `/api/admin/organizations/imports/${checked.data['id']}/commit`
  for (const { status, body } of [
    await send(source.other, 'false'),
    await send(source.other, 'true'),
    await superAdmin.post(commit),
  ])
    expect([status, body.code]).toEqual([409, 'import_running'])
  expect(world.rows("select 1 from organizations where state = 'importing'")).toEqual([])
  await world.settle()
  expect((await superAdmin.post(commit)).data['state']).toBe('running')
  await world.settle()
  expect(world.rows("select 1 from organizations where name in ('Acme', 'Bolt')")).toHaveLength(2)
})

describe('an import that fails', () => {
  test('is undone as a whole and says where', async () => {
    await using world = await targetWorld()
    const people = world.rows('select email from users order by email')
    const started = await begin(world, await packed(archive))
    // Another organization connects the number before the import comes to it.
    const number = 'update accounts set phone_id = ? where organization_id = ?'
    world.rows(number, source.tenant.phoneId, world.tenant.id)
    await world.settle()
    expect(await importOf(world, started)).toMatchObject({
      state: 'failed',
      error: { code: 'archive_invalid', file: 'tables/accounts.ndjson', line: 1 },
    })
    await isUndone(world, people)
  })

  test('stores nothing of a file that is another one than was checked', async () => {
    await using world = await targetWorld()
    const { incomingFolder } = world.program.http
    mkdirSync(incomingFolder ?? '', { recursive: true })
    const path = `${incomingFolder}/a.zip`
    const organizations = world.rows('select hex(id) as id, state from organizations')
    writeFileSync(path, await packed(archive))
    const superAdmin = await world.as('super')
    const checked = await superAdmin.post<Loose>(IMPORT, { path: 'a.zip', passphrase: PASSPHRASE })
    const other = await smallArchive(source)
    other.parts.get('roles')?.push([])
    writeFileSync(path, await packed(other))
    await superAdmin.post(`/api/admin/organizations/imports/${checked.data['id']}/commit`)
    await world.settle()
    expect(await importOf(world, checked.data)).toMatchObject({
      ...{ state: 'failed', error: { code: 'archive_damaged' } },
    })
    expect(world.rows('select hex(id) as id, state from organizations')).toEqual(organizations)
  })

  test('is given up when the server stopped each time it began', async () => {
    await using world = await targetWorld()
    const started = await begin(world, await packed(archive))
    world.program.http.db.sqlite.run('update organization_imports set open_runs = 5')
    await world.settle()
    expect(await importOf(world, started)).toMatchObject({
      ...{ state: 'failed', error: { code: 'import_interrupted' }, rows_done: 0 },
    })
  })

  test('is undone when it is cancelled', async () => {
    await using world = await targetWorld()
    const people = world.rows('select email from users order by email')
    const started = await begin(world, await packed(archive))
    interrupt(world, (count) => count === 55)
    await world.settle()
    expect(rowsOf(world)).toContain('memberships')
    const again = await upload(await world.as('super'), {
      ...{ bytes: await packed(archive), path: IMPORT, name: 'a.zip', type: 'application/zip' },
      fields: { passphrase: PASSPHRASE },
    })
    expect([again.status, again.body.code]).toEqual([409, 'import_running'])
    const superAdmin = await world.as('super')
    await superAdmin.post(`/api/admin/organizations/imports/${started['id']}/cancel`)
    await world.settle()
    expect(await importOf(world, started)).toMatchObject({ state: 'cancelled' })
    await isUndone(world, people)
  })

  async function isUndone(world: World, people: Loose[]): Promise<void> {
    world.clock.advance({ minutes: 5 })
    await world.settle()
    const { db, files } = world.program.http
    expect(rowsOf(world)).toEqual([])
    expect(
      world.rows("select email from users where email not like 'former-%' order by email"),
    ).toEqual(people)
    expect(world.rows("select full_name from users where email like 'former-%'")).toEqual(
      world.rows("select 'Former user' as full_name from users where email like 'former-%'"),
    )
    for (const table of ['numbers', 'links', 'users'])
      expect(world.rows(`select * from organization_import_${table}`)).toEqual([])
    const kept: unknown[] = []
    for await (const file of files.list()) kept.push(file)
    expect(kept).toEqual([])
    expect(db.sqlite.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  }
})
