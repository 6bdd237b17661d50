import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { keyOf } from '../../../support/keys'
import {
  archiveOf,
  packed,
  PASSPHRASE,
  type TestArchive,
} from '../../../support/organization-archive'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

/** API keys of people who are super admins in the installation that they arrive in. */
describe('an imported API key', () => {
  let home: World
  let target: World
  /** The key of a super admin of both, who is a member in neither. */
  let ofStranger: Client
  /** The key of a member who is a super admin only there, and may do less than when it was made. */
  let ofMember: Client

  beforeAll(async () => {
    home = await World.create()
    target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
    const superAdmin = (await home.as('super')).with({ 'x-organization-id': home.tenant.id })
    const stranger = await keyOf(home, { name: 'Stranger' }, superAdmin)
    const promoted = home.tenant.userIds.manager
    const role = (name: string) =>
      changeRows(
        home.program.http.db.sqlite,
        `update memberships set role_id = (select r.id from roles r
         where r.organization_id = memberships.organization_id and r.name = '${name}') where user_id = ?`,
        [promoted],
      )
    role('admin')
    const member = await keyOf(home, { name: 'Member' }, await home.as('manager'))
    role('agent')
    expect((await stranger.client.get('/api/contacts')).status).toBe(200)
    expect((await member.client.get('/api/contacts')).status).toBe(200)
    expect((await member.client.get('/api/audit-logs')).status).toBe(403)

    const there = await target.as('super')
    const { data: me } = await there.get<Loose>('/api/me')
    changeRows(
      target.program.http.db.sqlite,
      'update users set email = ?, is_super_admin = 1 where email = ?',
      [home.emailOf('manager', home.tenant), target.emailOf('manager', target.tenant)],
    )
    const archive = sameSuperAdmin(await archiveOf(home, home.tenant), {
      from: home.rows<{ id: string }>('select id from users where is_super_admin = 1')[0]?.id ?? '',
      to: String(me['id']),
    })
    const started = await upload(there, {
      ...{ bytes: await packed(archive), path: '/api/admin/organizations/import', name: 'a.zip' },
      type: 'application/zip',
      fields: { passphrase: PASSPHRASE, dry_run: 'false' },
    })
    expect([started.status, started.body.message]).toEqual([202, undefined])
    await target.settle()
    expect(target.rows('select state, error from organization_imports')).toEqual([
      { state: 'completed', error: null },
    ])
    ofStranger = target.anyone.with(stranger.client.headers)
    ofMember = target.anyone.with(member.client.headers)
  }, 30_000)
  afterAll(async () => {
    await home.stop()
    await target.stop()
  })

  test('of a super admin who is no member does nothing until a member takes it over', async () => {
    for (const path of ['/api/contacts', '/api/me', '/api/organizations'])
      expect((await ofStranger.get(path)).body).toMatchObject({ code: 'key_owner_inactive' })
    const admin = await target.signIn(home.emailOf('admin', home.tenant))
    const { data } = await admin.get<Loose>('/api/api-keys?search=Stranger')
    const [key] = data['items'] as Loose[]
    expect(key).toMatchObject({ usable: false, is_active: true })
    expect((await admin.post(`/api/api-keys/${key?.['id']}/take-over`)).status).toBe(200)
    const { data: listed } = await ofStranger.get<Loose>('/api/organizations')
    expect(listed['organizations']).toMatchObject([{ id: home.tenant.id }])
  })

  test('of a member who is a super admin here may do what it did at home', async () => {
    expect((await ofMember.get('/api/contacts')).status).toBe(200)
    expect((await ofMember.get('/api/audit-logs')).status).toBe(403)
    expect((await ofMember.get('/api/admin/organizations/imports')).status).toBe(403)
    const elsewhere = ofMember.with({ 'x-organization-id': target.tenant.id })
    expect((await elsewhere.get('/api/contacts')).body.code).toBe('organization_mismatch')
  })
})

/** Returns the archive as if its super admin had the ID of another one. */
function sameSuperAdmin(
  archive: TestArchive,
  { from, to }: { from: string; to: string },
): TestArchive {
  const parts = [...archive.parts].map(
    ([table, lines]) =>
      [table, JSON.parse(JSON.stringify(lines).replaceAll(from, to)) as unknown[][]] as const,
  )
  return { ...archive, parts: new Map(parts) }
}
