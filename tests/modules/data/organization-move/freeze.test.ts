import { expect, test } from 'bun:test'

import { organizationTables } from '../../../../src/infra/organization-tables'
import { uuidToBytes } from '../../../../src/infra/db/uuid'
import { Client, type Answer, type Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { exampleOf, guardedRoutesOf, pathOf, takesFormOnly } from '../../../support/routes'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

/** The suite tries each route with one caller, the long tests with each. */
const IS_LONG = Bun.env['FROZEN_CALLERS'] === 'all'

/** Super admins abort a move even while their own organization moves. */
const ABORT = 'DELETE /api/admin/organizations/:id/move'

/** People leave an organization that moves for another one of theirs. */
const SWITCH = 'POST /api/auth/switch-org'

const MORE: Record<string, string> = {
  moving: '',
  moved: ", moved_to = 'https://b.example.com', deletes_at_ms = 9e12",
  deleting: ', deletes_at_ms = 9e12',
}

const setState = (world: World, state: string): void => {
  const { sqlite } = world.program.http.db
  changeRows(sqlite, `update organizations set state = '${state}'${MORE[state]} where id = ?`, [
    world.other.id,
  ])
}

const superAdminIn = async (world: World): Promise<Client> =>
  (await world.as('super')).with({ 'x-organization-id': world.other.id })

/** The rows of the second organization, by table. */
const rowsOf = (world: World): Map<string, unknown> => {
  const { db, tables } = world.program.http
  return new Map(
    organizationTables(db.sqlite, tables).map(({ name, owner }) => [
      name,
      db.sqlite
        .query(`select * from "${name}" where "${owner}" = ?`)
        .all(uuidToBytes(world.other.id)),
    ]),
  )
}

const codeOf = ({ status, body }: Answer<Loose>): unknown[] => [status, body.code]

test('no route changes anything in a frozen organization, whoever calls it', async () => {
  await using world = await World.create({ env: { RATE_STANDARD: '0', RATE_BULK: '0' } })
  const { other } = world
  const callers: [string, Client][] = [
    ['an admin', await world.as('admin', other)],
    ['an API key', (await keyOf(world, {}, undefined, other)).client],
    ['a super admin of another one', await superAdminIn(world)],
  ]
  const writing = guardedRoutesOf(world).filter(
    (route) => !['GET', 'HEAD', 'WS'].includes(route.method) && !takesFormOnly(route),
  )
  await callers[1]?.[1].get('/api/me') // the first use of the key is recorded
  await world.settle()
  setState(world, 'moving')
  const before = rowsOf(world)
  const open: string[] = []
  for (const [nth, route] of writing.entries())
    for (const [which, [name, client]] of callers.entries()) {
      if (!IS_LONG && nth % callers.length !== which) continue
      const path = pathOf(route, other.id)
      const answer = await client.request(route.method, path, exampleOf(route))
      if (answer.body.code !== 'organization_moving') open.push(`${name}: ${route.label}`)
    }
  expect(open.filter((one) => !one.endsWith(ABORT) && !one.endsWith(SWITCH))).toEqual([])
  expect(rowsOf(world)).toEqual(before)
}, 10_000)

test('people switch from and to a frozen organization, which only reads', async () => {
  await using world = await World.create()
  const { other, tenant } = world
  await (
    await world.as('admin', other)
  ).post('/api/organizations/members', {
    ...{ user_id: tenant.userIds.agent, role_id: other.roleIds.agent },
  })
  await world.settle()
  const agent = await world.as('agent')
  const into = async (client: Client, id: string): Promise<Client> => {
    const { status, data } = await client.post('/api/auth/switch-org', { organization_id: id })
    expect(status).toBe(200)
    return new Client(world.url, { authorization: `Bearer ${data['access_token']}` })
  }
  setState(world, 'moving')
  const rowsThere = (): unknown[] =>
    ['memberships', 'audit_logs'].map((name) => rowsOf(world).get(name))
  const before = rowsThere()
  const frozen = await into(agent, other.id)
  expect((await frozen.get('/api/contacts')).status).toBe(200)
  const back = await into(frozen, tenant.id)
  expect((await back.put('/api/me/availability', { is_available: false })).status).toBe(200)
  expect(rowsThere()).toEqual(before)
})

test('nobody changes a frozen organization from outside', async () => {
  await using world = await World.create()
  const { tenant, other } = world
  const admin = await world.as('admin', other)
  const user_id = tenant.userIds.agent
  const role_id = other.roleIds.agent
  expect((await admin.post('/api/organizations/members', { user_id, role_id })).status).toBe(201)
  const agent = await world.as('agent')
  const superAdmin = await world.as('super')
  await world.settle()
  setState(world, 'moving')
  const before = rowsOf(world)
  const leave = (): Promise<Answer<Loose>> => agent.delete(`/api/me/organizations/${other.id}`)
  for (const attempt of [
    await leave(),
    await superAdmin.post(`/api/organizations/${other.id}/archive`, {}),
    await superAdmin.request('DELETE', `/api/organizations/${other.id}`, { confirm: 'bolt' }),
    await superAdmin.put(`/api/users/${user_id}`, { account_disabled: true }),
    await agent.put('/api/me', { full_name: 'Ann' }),
  ])
    expect(codeOf(attempt)).toEqual([503, 'organization_moving'])
  expect(rowsOf(world)).toEqual(before)
  setState(world, 'moved')
  expect(codeOf(await leave())).toEqual([409, 'moved'])
})

test('super admins change nothing in an organization that is being deleted', async () => {
  await using world = await World.create()
  setState(world, 'deleting')
  const superAdmin = await superAdminIn(world)
  expect(codeOf(await superAdmin.post('/api/tags', { name: 'VIP' }))).toEqual([
    403,
    'organization_deleting',
  ])
  const restored = await superAdmin.post(`/api/organizations/${world.other.id}/restore`)
  expect(restored.status).toBe(200)
  expect((await superAdmin.post('/api/tags', { name: 'VIP' })).status).toBe(201)
})
