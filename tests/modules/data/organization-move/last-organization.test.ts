import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { WorldPair } from '../../../support/moves'
import { archiveOf, packed } from '../../../support/organization-archive'
import { PASSWORD } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let pair: WorldPair

beforeAll(async () => {
  pair = await WorldPair.create({ tenants: 1 })
  await pair.start()
}, 60_000)
afterAll(() => pair[Symbol.asyncDispose]())

const login = (email: string) =>
  pair.from.anyone.post<Loose>('/api/auth/login', { email, password: PASSWORD })
const superEmail = () => pair.from.emailOf('super', pair.from.tenant)
const namesHere = (): unknown[] =>
  pair.from
    .rows("select name from organizations where state = 'active' order by name")
    .map(({ name }) => name)

test('a super admin without a membership reads the last organization while it moves', async () => {
  await pair.reach('importing', { of: [pair.from] })
  const { status, data } = await login(superEmail())
  expect([status, data['user'].organization_id]).toEqual([200, pair.organization])
  expect(namesHere()).toEqual([])
})
test('the super admins of the last organization sign in after it has moved, its people do not', async () => {
  changeRows(pair.from.program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
    pair.from.tenant.userIds.manager,
  ])
  await pair.reach('completed')
  const agent = await login(pair.from.emailOf('agent', pair.from.tenant))
  expect(agent.body).toMatchObject({ code: 'moved', details: { address: pair.to.url } })
  expect(namesHere()).toEqual([])
  const email = pair.from.emailOf('manager', pair.from.tenant)
  const both = await Promise.all([login(email), login(email)])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(namesHere()).toEqual(['My organization'])
  const manager = await pair.from.signIn(email)
  const { data: notices } = await manager.get<Loose>('/api/me/notifications')
  expect(notices['items']).toMatchObject([{ kind: 'organization_moved' }])
})

test('a super admin without a membership is let in, too, and imports another organization', async () => {
  expect(namesHere()).toEqual(['My organization'])
  const admin = await pair.from.signIn(superEmail())
  const { data: me } = await admin.get<Loose>('/api/me')
  expect(me).toMatchObject({
    is_super_admin: true,
    organization: { name: 'My organization' },
  })
  const { data: log } = await admin.get<Loose>('/api/audit-logs?resource_type=organization')
  expect(log['items']).toMatchObject([{ action: 'created', resource_name: 'My organization' }])

  const archive = await archiveOf(pair.to, pair.to.tenant, { hasSecrets: false })
  const { status } = await upload(admin, {
    path: '/api/admin/organizations/import',
    ...{ bytes: await packed(archive), name: 'a.zip', type: 'application/zip' },
    fields: { dry_run: 'false' },
  })
  expect(status).toBe(202)
  await pair.from.settle()
  const there = await admin.post<Loose>('/api/auth/switch-org', {
    organization_id: pair.to.tenant.id,
  })
  expect(there.status).toBe(200)
  const empty = me['organization'] as Loose
  const { status: gone } = await admin.request('DELETE', `/api/organizations/${empty['id']}`, {
    ...{ confirm: empty['slug'], erase_now: true },
  })
  expect(gone).toBe(200)
  expect((await login(superEmail())).data['user'].organization_id).toBe(pair.to.tenant.id)
})
