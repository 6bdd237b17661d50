import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openDb } from '../../../../src/infra/db/connection'
import { uuidToBytes } from '../../../../src/infra/db/uuid'
import { organizationTables } from '../../../../src/infra/organization-tables'
import { transact } from '../../../../src/infra/db/transact'
import type { Client } from '../../../support/client'
import { runCommand } from '../../../support/command'
import { upload } from '../../../support/files'
import { fillOrganization } from '../../../support/full-organization'
import { changeRows } from '../../../support/sql'
import { unusedPartsOf } from '../../../support/unused-parts'
import { freshDatabase, World, type Tenant } from '../../../support/world'

const MARKER = 'plantedmarkerqz'
const DATABASE = 'switchboard.sqlite'

const slugOf = (world: World, tenant: Tenant): string =>
  String(world.rows('select slug from organizations where id = ?', tenant.id)[0]?.['slug'])

const remove = async (world: World, client: Client, tenant: Tenant, more: object = {}) =>
  await client.request('DELETE', `/api/organizations/${tenant.id}`, {
    confirm: slugOf(world, tenant),
    ...more,
  })

describe('the deletion of an organization', () => {
  test('leaves 30 days to restore it, in which nothing else is possible', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const answer = await remove(world, admin, world.tenant)
    expect(answer.data['organization']['deletes_at']).toBe('2026-12-21T09:30:00.000Z')

    // Its people can sign in and see it; everything else says why it is refused.
    const again = await world.signIn(world.emailOf('admin', world.tenant))
    const current = await again.get('/api/organizations/current')
    expect(current.data['deletes_at']).toBe('2026-12-21T09:30:00.000Z')
    const refused = await again.get('/api/contacts')
    expect([refused.status, refused.body.code]).toEqual([403, 'organization_deleting'])
    const agent = await world.signIn(world.emailOf('agent', world.tenant))
    expect((await agent.post(`/api/organizations/${world.tenant.id}/restore`)).status).toBe(403)

    // Its numbers are disconnected.
    await world.simulator.customer({ phone: world.tenant.phoneId }).says('Anybody there?')
    await world.settle()
    expect(world.rows('select 1 from messages')).toEqual([])

    const restored = await again.post(`/api/organizations/${world.tenant.id}/restore`)
    expect([restored.status, restored.data['deletes_at']]).toEqual([200, undefined])
    expect((await again.get('/api/contacts')).status).toBe(200)
    expect(await remove(world, again, world.tenant)).toMatchObject({ status: 200 })

    world.clock.advance({ hours: 24 * 30 + 1 })
    await world.settle()
    expect(world.rows('select name from organizations')).toEqual([{ name: 'Bolt' }])
    const { body } = await world.anyone.post('/api/auth/login', {
      email: world.emailOf('admin', world.tenant),
      password: 'correct horse battery',
    })
    expect(body.code).toBe('invalid_credentials')
  })

  test('is refused without the slug, a fresh sign-in or the permission', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const path = `/api/organizations/${world.tenant.id}`
    const wrong = await admin.request('DELETE', path, { confirm: 'acme' })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_input'])
    const foreign = await remove(world, admin, world.other)
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
    expect((await remove(world, await world.as('manager'), world.tenant)).status).toBe(403)
    world.clock.advance({ minutes: 6 })
    const stale = await remove(world, admin, world.tenant)
    expect([stale.status, stale.body.code]).toEqual([403, 'fresh_login_required'])
    const idle = await (
      await world.signIn(world.emailOf('admin', world.tenant))
    ).post(`${path}/restore`)
    expect([idle.status, idle.body.code]).toEqual([409, 'not_deleting'])
  })

  test('keeps the last organization, one on legal hold and one with other admins', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.put('/api/retention', { legal_hold: true })
    const held = await remove(world, admin, world.tenant)
    expect([held.status, held.body.code]).toEqual([409, 'legal_hold'])
    await admin.put('/api/retention', { legal_hold: false })
    const { agent } = world.tenant.userIds
    await admin.put(`/api/organizations/members/${agent}`, { role_id: world.tenant.roleIds.admin })
    const shared = await remove(world, admin, world.tenant)
    expect([shared.status, shared.body.code]).toEqual([409, 'other_admins'])
    const superAdmin = await world.as('super')
    expect((await remove(world, superAdmin, world.tenant)).status).toBe(200)
    const last = await remove(world, superAdmin, world.other)
    expect([last.status, last.body.code]).toEqual([409, 'last_organization'])
  })
})

test('an erasure leaves no word in a search index that takes many steps to merge', async () => {
  await using world = await World.create()
  const { tenant, other } = world
  const { sqlite } = world.program.http.db
  const columns =
    'organization_id, conversation_id, contact_id, account_id, type, status, source, timestamp_ms, received_at_ms, created_at_ms'
  for (const [{ id, phoneId }, word] of [
    [other, 'kept'],
    [tenant, MARKER],
  ] as const) {
    await world.simulator.customer({ phone: phoneId }).says('Hello!')
    await world.settle()
    changeRows(
      sqlite,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
       insert into messages (id, content, preview, ${columns})
       select unhex(printf('ffff%028x', i)), json_object('text', '${word}' || i), '${word}', ${columns}
       from n, (select * from messages where organization_id = ? limit 1)`,
      [id],
    )
    changeRows(
      sqlite,
      `insert into message_words (row, organization_id, contact_id)
       select row, organization_id, contact_id from messages where organization_id = ? and preview = '${word}'`,
      [id],
    )
  }
  const pagesWith = (word: string): number =>
    world.rows('select 1 from message_search_data where instr(block, cast(? as blob)) > 0', word)
      .length
  expect(pagesWith(MARKER)).toBeGreaterThan(2)
  const { status } = await remove(world, await world.as('super'), tenant, { erase_now: true })
  expect(status).toBe(200)
  await world.settle()
  expect(world.rows('select 1 from erased_organizations where erased_at_ms is null')).toEqual([])
  expect(world.rows('select name from organizations')).toEqual([{ name: 'Bolt' }])
  expect(pagesWith(MARKER)).toBe(0)
  expect(pagesWith('kept')).toBeGreaterThan(2)
})

describe('the erasure of an organization', () => {
  let folder: string
  let world: World

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-erasure-'))
    const path = join(folder, DATABASE)
    writeFileSync(path, freshDatabase().serialize())
    const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
    world = await World.create({ db, env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    await fillOrganization(world)
  })
  afterAll(async () => {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The rows of the other organization, by table. */
  const rowsOfOther = (): Map<string, unknown> => {
    const { db, tables } = world.program.http
    return new Map(
      organizationTables(db.sqlite, tables)
        .filter(({ name }) => !['jobs', 'refresh_tokens'].includes(name))
        .map(({ name, owner }) => [
          name,
          db.sqlite
            .query(`select * from "${name}" where "${owner}" = ?`)
            .all(uuidToBytes(world.other.id)),
        ]),
    )
  }

  test('leaves no byte of it in any file, and every byte of others', async () => {
    const { tenant, other } = world
    await upload(await world.as('manager'), {
      bytes: new TextEncoder().encode(`${MARKER} in a file `.repeat(50)),
      type: 'text/plain',
    })
    for (let round = 0; round < 20; round += 1)
      for (const one of [tenant, other])
        await world.simulator
          .customer({ phone: one.phoneId })
          .says(one === tenant ? `${MARKER} message ${round}` : `other ${round}`)
    const admin = await world.as('admin')
    await admin.post('/api/tags', { name: `${MARKER} tag` })
    await admin.post('/api/chatbot/ai-contexts', {
      name: 'Marked',
      type: 'static',
      content: `${MARKER} in a context`,
    })
    await world.settle()
    plantMarkers()
    expect(filesWith(MARKER).some((name) => name.startsWith(DATABASE))).toBe(true)
    expect(filesWith(MARKER).some((name) => /^[0-9a-f]{2}\//.test(name))).toBe(true)
    const before = rowsOfOther()

    const answer = await remove(world, await world.as('super'), tenant, { erase_now: true })
    expect(answer.status).toBe(200)
    const interrupted = interruptErasure()
    for (let run = 0; run < 6; run += 1) {
      await world.settle()
      world.clock.advance({ minutes: 2 })
    }
    expect(interrupted()).toBe(4)

    const { db, tables } = world.program.http
    const left = organizationTables(db.sqlite, tables).filter(
      ({ name, owner }) =>
        db.sqlite
          .query(`select 1 from "${name}" where "${owner}" = ?`)
          .get(uuidToBytes(tenant.id)) !== null,
    )
    expect(left.map(({ name }) => name)).toEqual([])
    // A page that was split keeps copies in the part that it no longer uses. SQLite overwrites them
    // when it uses that part again; `switchboard compact` does it at once (the next test).
    expect(filesWith(MARKER).filter((name) => name !== DATABASE)).toEqual([])
    expect(partsInUseWith(MARKER)).toEqual([])
    expect(rowsOfOther()).toEqual(before)
    expect(db.sqlite.query('pragma foreign_key_check').all()).toEqual([])
    expect(db.sqlite.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    // Words of messages that are deleted from now on are overwritten at once again.
    expect(world.rows("select v from message_search_config where k = 'secure-delete'")).toEqual([
      { v: 1 },
    ])
    const [record] = world.rows('select erased_at_ms, costs from erased_organizations')
    expect(record?.['erased_at_ms']).not.toBeNull()
  })

  test('leaves no byte of it in the database that is written anew', async () => {
    const env = { DATA_DIR: folder }
    const before = rowsOfOther()
    expect(await runCommand(['compact'], { cwd: folder, env })).toMatchObject({
      code: 0,
      errors: '',
    })
    expect(filesWith(MARKER)).toEqual([])
    expect(rowsOfOther()).toEqual(before)
  })

  /**
   * Ends the erasure in its 1st, 4th, 16th, … transaction, which is rolled back, as if the process
   * were killed. Returns how often it did.
   */
  function interruptErasure(): () => number {
    const { db } = world.program.http
    const { beforeCommit } = db
    let [times, steps] = [0, 0]
    Object.assign(db, {
      beforeCommit: (...args: Parameters<typeof beforeCommit>) => {
        const isErasure = new Error('for its stack').stack?.includes('organization-deletion/erase')
        if (isErasure && times < 4 && ++steps > 4 ** times) {
          steps = 0
          times += 1
          throw new Error('interrupted')
        }
        beforeCommit(...args)
      },
    })
    return () => times
  }

  /** Adds the marker to every text of the organization that takes one. */
  function plantMarkers(): void {
    const { db, tables } = world.program.http
    for (const { name, owner, columns } of organizationTables(db.sqlite, tables)) {
      if (['jobs', 'events', 'roles'].includes(name)) continue
      for (const column of columns) {
        // A row of the audit log and its words in the index must stay the same; sums of money stay.
        if (
          column.type !== 'TEXT' ||
          ['stored_as', 'slug', 'words', 'currency', 'timezone'].includes(column.name)
        )
          continue
        try {
          transact(db, () => {
            db.sqlite
              .query(
                `update "${name}" set "${column.name}" = "${column.name}" || '${MARKER}' where "${owner}" = ? and "${column.name}" not like '[%' and "${column.name}" not like '{%'`,
              )
              .run(uuidToBytes(world.tenant.id))
          })
        } catch {
          // a checked column
        }
      }
    }
  }

  /** Names of files in the data folder that hold a text, in any case. */
  function filesWith(text: string): string[] {
    return [folder, world.filesFolder].flatMap((root) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(text))
        .map((path) => path.slice(root.length + 1)),
    )
  }

  /** What stands around a text, in any case, in the parts of the database that are in use. */
  function partsInUseWith(text: string): string[] {
    const bytes = readFileSync(join(folder, DATABASE))
    for (const { start, end } of unusedPartsOf(bytes)) bytes.fill(0, start, end)
    const used = bytes.toString('latin1').toLowerCase()
    return used.includes(text) ? [used.slice(used.indexOf(text) - 20, used.indexOf(text) + 40)] : []
  }
})
