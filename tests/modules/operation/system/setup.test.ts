import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { uuidToBytes } from '../../../../src/infra/db/uuid'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

let world: World

beforeEach(async () => {
  world = await World.create({ isConnected: false })
})
afterEach(() => world.stop())

const OWN = [
  'own_password',
  'number_connected',
  'webhook_seen',
  'first_message',
  'colleague_invited',
  'template_synced',
]
const INSTALLATION = ['base_url_matches', 'mail_configured', 'backup_elsewhere']

const stepsOf = async (client: Client): Promise<Loose[]> =>
  (await client.get('/api/setup')).data['steps'] as Loose[]
const doneOf = async (client: Client): Promise<string[]> =>
  (await stepsOf(client)).filter(({ done }) => done === true).map(({ key }) => String(key))

describe('the first steps', () => {
  test('become done one by one', async () => {
    const admin = await world.as('admin')
    expect((await stepsOf(admin)).map(({ key }) => String(key))).toEqual(OWN)
    expect(await doneOf(admin)).toEqual(['own_password', 'colleague_invited'])
    changeRows(
      world.program.http.db.sqlite,
      'update users set must_change_password = 1 where email = ?',
      [world.emailOf('admin', world.tenant)],
    )
    expect(await doneOf(admin)).toEqual(['colleague_invited'])
    await world.connect(world.tenant)
    await world.settle()
    expect(await doneOf(admin)).toContain('number_connected')
    expect(await doneOf(admin)).not.toContain('first_message')
    await world.contactOf()
    expect(await doneOf(admin)).toContain('webhook_seen')
    expect(await doneOf(admin)).toContain('first_message')
    expect(await doneOf(await world.as('admin', world.other))).toEqual([
      'own_password',
      'colleague_invited',
    ])
  })

  test('count a colleague whom somebody invited or confirmed, and no stranger', async () => {
    const admin = await world.as('admin')
    changeRows(
      world.program.http.db.sqlite,
      'delete from memberships where user_id not in (select id from users where email = ?)',
      [world.emailOf('admin', world.tenant)],
    )
    expect(await doneOf(admin)).toEqual(['own_password'])
    const stranger = { email: 'sam@example.com', password: 'correct horse', full_name: 'Sam' }
    const registered = await world.anyone.post('/api/auth/register', {
      ...stranger,
      organization_id: world.tenant.id,
    })
    expect(registered.status).toBe(201)
    expect(await doneOf(admin)).toEqual(['own_password'])
    const [row] = world.rows<{ id: string }>('select id from users where email = ?', stranger.email)
    const confirmed = await admin.put(`/api/users/${row?.id}`, { is_confirmed: true })
    expect(confirmed.status).toBe(200)
    expect(await doneOf(admin)).toEqual(['own_password', 'colleague_invited'])
    changeRows(world.program.http.db.sqlite, 'delete from memberships where user_id = ?', [
      uuidToBytes(row?.id ?? ''),
    ])
    expect(await doneOf(admin)).toEqual(['own_password'])
    const invited = await admin.post('/api/organizations/invitations', { email: 'kim@example.com' })
    expect(invited.status).toBe(201)
    expect(await doneOf(admin)).toEqual(['own_password', 'colleague_invited'])
  })

  test('are shown to a manager as far as a manager can do them, and not to agents', async () => {
    const manager = await world.as('manager')
    expect((await stepsOf(manager)).map(({ key }) => String(key))).toEqual(
      OWN.filter((key) => key !== 'colleague_invited'),
    )
    const { client } = await personWith(world, ['accounts:update'])
    expect((await stepsOf(client)).map(({ key }) => String(key))).toEqual([
      'own_password',
      'webhook_seen',
    ])
    expect((await manager.put('/api/setup', { dismissed: true })).status).toBe(403)
    expect((await (await world.as('agent')).get('/api/setup')).status).toBe(403)
  })

  test('of the installation are shown to super admins only', async () => {
    const root = await world.as('super')
    const steps = await stepsOf(root)
    expect(steps.map(({ key }) => String(key))).toEqual([...OWN, ...INSTALLATION])
    // The tests' own address is not BASE_URL.
    expect((await doneOf(root)).filter((key) => INSTALLATION.includes(key))).toEqual([])
    // An address that only this machine reaches is none.
    const here = root.with({ host: 'localhost:8080' })
    expect(await doneOf(here)).not.toContain('base_url_matches')
    world.program.http.settings.baseUrl = 'https://chat.example.com'
    const there = root.with({ host: 'chat.example.com' })
    expect(await doneOf(there)).toContain('base_url_matches')
    world.program.http.settings.baseUrl = 'http://localhost:8080'
    for (const { why, link } of steps) {
      expect(why).toMatch(/^[A-Z].*\.$/)
      expect(link).toMatch(/^\/[a-z]/)
    }
  })

  test('count a backup that was downloaded within 30 days', async () => {
    const root = await world.as('super')
    const { data } = await root.post('/api/admin/backups', { verify: false })
    await world.settle()
    await root.get(`/api/admin/backups/${String(data['id'])}/download`)
    expect(await doneOf(root)).toContain('backup_elsewhere')
    world.clock.advance({ hours: 31 * 24 })
    expect(await doneOf(await world.as('super'))).not.toContain('backup_elsewhere')
  })

  test('are hidden and shown again for the whole organization', async () => {
    const [admin, root] = [await world.as('admin'), await world.as('super')]
    const hidden = await admin.put('/api/setup', { dismissed: true })
    expect(hidden.data).toMatchObject({ dismissed: true })
    await admin.put('/api/setup', { dismissed: true })
    expect((await admin.get('/api/setup')).data).toMatchObject({ dismissed: true })
    expect((await (await world.as('admin', world.other)).get('/api/setup')).data).toMatchObject({
      dismissed: false,
    })
    expect(world.rows(`select 1 from audit_logs where resource_type = 'setup'`)).toHaveLength(1)
    await admin.put('/api/setup', { dismissed: false })
    expect((await root.get('/api/setup')).data).toMatchObject({ dismissed: false })
    expect((await admin.put('/api/setup', { dismissed: 'yes' })).status).toBe(400)
    expect((await (await world.as('agent')).get('/api/setup')).status).toBe(403)
  })
})
