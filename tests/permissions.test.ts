import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  PERMISSIONS,
  permissionsOfSystemRole,
  type SystemRole,
} from '../src/modules/organization/roles/catalog'
import { CATALOG_CHANGES } from '../src/modules/organization/roles/catalog-migrations'
import type { Answer, Client, Loose } from './support/client'
import { keyOf } from './support/keys'
import { personWith } from './support/people'
import {
  guardedRoutesOf,
  isForPeopleOnly,
  isOpenToPeople,
  NOBODY,
  pairsOf,
  pathOf,
  type Route,
} from './support/routes'
import { World } from './support/world'
import { changeRows } from './support/sql'

const ROLES: SystemRole[] = ['admin', 'manager', 'agent']

/** Pairs that no route names because a rule asks for them. */
const ASKED_BY_RULES: Record<string, string> = {
  'contacts:read_all': 'whether the caller sees every contact',
  'contacts:read_unassigned': 'whether the caller sees contacts that nobody has',
  'contacts:unmask': 'whether the caller sees full numbers',
  'organizations:create': 'who may create organizations, where the installation says `permission`',
}

let world: World
let guarded: Route[]

beforeAll(async () => {
  world = await World.create({ isConnected: false, agentsSeeUnassigned: true })
  guarded = guardedRoutesOf(world)
})

afterAll(() => world.stop())

describe('the permission catalog is complete', () => {
  const named = (): Set<string> => new Set(guarded.flatMap(pairsOf))

  test('routes name only permissions of the catalog', () => {
    expect([...named()].filter((pair) => !PERMISSIONS.has(pair as never))).toEqual([])
  })

  test('every permission is used by a route or a rule', () => {
    const accounted = [...named(), ...Object.keys(ASKED_BY_RULES)]
    expect(accounted.toSorted()).toEqual([...PERMISSIONS].toSorted())
  })

  test('its changes are numbered from 1', () => {
    expect(CATALOG_CHANGES.map(({ number }) => number)).toEqual(
      CATALOG_CHANGES.map((_, index) => index + 1),
    )
  })

  test('every organization has the system roles of the catalog, a new one too', async () => {
    const superAdmin = await world.as('super')
    const { data } = await superAdmin.post('/api/organizations', { name: 'Brand new' })
    for (const organization of [world.tenant.id, world.other.id, String(data['id'])]) {
      const there = superAdmin.with({ 'x-organization-id': organization })
      for (const { id, name } of ((await there.get('/api/roles')).data['items'] as Loose[]).filter(
        ({ is_system }) => is_system,
      )) {
        const held = ((await there.get(`/api/roles/${id}`)).data['permissions'] as Loose[]).map(
          ({ resource, action }) => `${resource}:${action}`,
        )
        expect({ name, held: held.toSorted() }).toEqual({
          name,
          held: permissionsOfSystemRole(name as SystemRole).toSorted(),
        })
      }
    }
  })
})

/** A key that was given everything a key can be given, and whose owner has the role. */
async function keyOwnedBy(role: SystemRole): Promise<Client> {
  const key = await keyOf(world)
  changeRows(
    world.program.http.db.sqlite,
    `update api_keys set owner_user_id = ?2, owner_membership_id = (select id from memberships where user_id = ?2 and organization_id = api_keys.organization_id)
     where id = ?1`,
    [key.id, world.tenant.userIds[role]],
  )
  return key.client
}

/**
 * What the catalogue says of a caller at a route: a code of refusal, or `null` when it is let in.
 */
function refusalOf(route: Route, role: SystemRole, isKey: boolean): string | null {
  if (route.permission === 'signed-in') return null
  if (isForPeopleOnly(route) && isKey) return 'session_required'
  if (route.permission === 'session') return null
  if (route.permission === 'super-admin') return 'super_admin_required'
  if (isOpenToPeople(route) && !isKey) return null
  const held: string[] = permissionsOfSystemRole(role).filter(
    (pair) => !isKey || !['api_keys:create', 'api_keys:update'].includes(pair),
  )
  return pairsOf(route).some((pair) => held.includes(pair)) ? null : 'permission_denied'
}

describe('each role may call exactly the routes that the catalog allows', () => {
  /**
   * Sends a body that no route can read: a caller who is let in gets an error, and nothing happens.
   */
  const ask = (client: Client, route: Route): Promise<Answer> =>
    client.request(
      route.method,
      pathOf(route),
      ['POST', 'PUT'].includes(route.method) ? '{' : undefined,
    )

  const CODES = ['permission_denied', 'session_required', 'super_admin_required']

  for (const role of ROLES)
    for (const isKey of [false, true])
      test(isKey ? `a key whose owner is ${role}` : role, async () => {
        const client = isKey ? await keyOwnedBy(role) : await world.as(role)
        const matrix = await Promise.all(
          guarded.map(async (route) => {
            const { status, body } = await ask(client, route)
            if (body.code === 'permission_denied')
              for (const pair of pairsOf(route)) expect(body.message).toContain(pair)
            const refused = body.code !== undefined && CODES.includes(body.code) ? body.code : null
            return {
              route: route.label,
              refused,
              is403: status === 403,
              isStranger: status === 401 || status >= 500,
            }
          }),
        )
        expect(matrix).toEqual(
          guarded.map((route) => {
            const refused = refusalOf(route, role, isKey)
            return { route: route.label, refused, is403: refused !== null, isStranger: false }
          }),
        )
      })

  test('every role but the admin is allowed some routes and denied others', () => {
    for (const role of ROLES.slice(1)) {
      const refusals = guarded.map((route) => refusalOf(route, role, false))
      expect([refusals.includes(null), refusals.includes('permission_denied')]).toEqual([
        true,
        true,
      ])
    }
    expect(
      guarded
        .map((route) => refusalOf(route, 'admin', false))
        .filter((code) => code === 'permission_denied'),
    ).toEqual([])
  })
})

describe('errors are reported in this order', () => {
  test('credential, limit, permission, input, existence, state', async () => {
    await using own = await World.create({ isConnected: false, env: { RATE_STANDARD: '6' } })
    const agent = await own.as('agent')
    const admin = await own.as('admin')
    const taken = { name: 'manager' }
    const unknown = `/api/roles/${NOBODY}`
    const roleId = (await admin.post('/api/roles', { name: 'Known', permissions: [] })).data['id']
    const told = async (
      client: Client,
      path: string,
      body: unknown,
    ): Promise<[number, string | undefined]> => {
      const answer = await client.put(path, body)
      return [answer.status, answer.body.code]
    }
    expect(await told(own.anyone.with({ authorization: 'Bearer x' }), '/api/roles/x', '{')).toEqual(
      [401, 'invalid_token'],
    )
    expect(await told(agent, '/api/roles/x', '{')).toEqual([403, 'permission_denied'])
    expect(await told(admin, unknown, { name: '' })).toEqual([400, 'invalid_input'])
    expect(await told(admin, unknown, { permissions: ['contacts:fly'] })).toEqual([
      400,
      'invalid_input',
    ])
    expect(await told(admin, unknown, taken)).toEqual([404, 'not_found'])
    expect(await told(admin, `/api/roles/${roleId}`, taken)).toEqual([409, 'name_taken'])
    for (let count = 1; count < 6; count += 1) await agent.get('/api/roles')
    expect(await told(agent, '/api/roles/x', '{')).toEqual([429, 'rate_limited'])
    expect(await told(own.anyone, '/api/roles/x', '{')).toEqual([401, 'unauthorized'])
  })
})

describe('permissions are independent', () => {
  test('none implies another: permission to change does not include reading', async () => {
    const editor = await personWith(world, ['roles:update'])
    const role = (
      await (await world.as('admin')).post('/api/roles', { name: 'Odd', permissions: [] })
    ).data
    expect(
      (await editor.client.put(`/api/roles/${role['id']}`, { description: 'Changed' })).status,
    ).toBe(200)
    expect((await editor.client.get(`/api/roles/${role['id']}`)).status).toBe(403)
  })

  test('contacts:read_all alone allows nothing', async () => {
    const odd = await personWith(world, ['contacts:read_all', 'messages:read'])
    expect((await odd.client.get('/api/contacts')).status).toBe(403)
    expect((await odd.client.get('/api/conversations')).data['total']).toBe(0)
  })
})

describe('permissions are the current ones, not those in the token', () => {
  test('a super admin loses access as soon as the flag is removed', async () => {
    await using own = await World.create({ isConnected: false })
    const superAdmin = await own.as('super')
    const elsewhere = superAdmin.with({ 'x-organization-id': own.other.id })
    expect((await elsewhere.get('/api/audit-logs')).status).toBe(200)
    changeRows(own.program.http.db.sqlite, 'update users set is_super_admin = 0 where email = ?', [
      'super@example.com',
    ])
    expect([
      (await superAdmin.get('/api/me')).status,
      (await elsewhere.get('/api/me')).status,
    ]).toEqual([401, 401])
  })

  test('another role, a suspension and a disabled user apply from the next request', async () => {
    const { sqlite } = world.program.http.db
    const person = await personWith(world, ['roles:read'])
    expect((await person.client.get('/api/roles')).status).toBe(200)
    changeRows(sqlite, 'update memberships set role_id = ? where user_id = ?', [
      world.tenant.roleIds.agent,
      person.userId,
    ])
    expect((await person.client.get('/api/roles')).body.code).toBe('permission_denied')
    changeRows(sqlite, 'update memberships set role_id = ? where user_id = ?', [
      world.tenant.roleIds.admin,
      person.userId,
    ])
    expect((await person.client.get('/api/roles')).status).toBe(200)
    changeRows(sqlite, 'update memberships set is_active = 0 where user_id = ?', [person.userId])
    expect((await person.client.get('/api/roles')).body.code).toBe('membership_ended')
    changeRows(sqlite, 'update memberships set is_active = 1 where user_id = ?', [person.userId])
    changeRows(sqlite, 'update users set is_disabled = 1 where id = ?', [person.userId])
    expect((await person.client.get('/api/roles')).body.code).toBe('account_disabled')
  })
})

describe('X-Organization-ID', () => {
  test('of another organization is for super admins; malformed is 400, unknown 404', async () => {
    const [admin, superAdmin] = [await world.as('admin'), await world.as('super')]
    const ask = async (client: Client, id: string): Promise<[number, string | undefined]> => {
      const { status, body } = await client
        .with({ 'x-organization-id': id })
        .get('/api/organizations/current')
      return [status, body.code]
    }
    expect(await ask(admin, world.tenant.id)).toEqual([200, undefined])
    expect(await ask(admin, world.other.id)).toEqual([403, 'organization_mismatch'])
    expect(await ask(admin, NOBODY)).toEqual([403, 'organization_mismatch'])
    expect((await ask(admin, 'x'))[0]).toBe(400)
    expect(await ask(superAdmin, world.other.id)).toEqual([200, undefined])
    expect((await ask(superAdmin, NOBODY))[0]).toBe(404)
    expect((await ask(superAdmin, 'x'))[0]).toBe(400)
  })
})
