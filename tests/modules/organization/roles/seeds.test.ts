import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { wrapDb, type Db } from '../../../../src/infra/db/connection'
import { migrate, MigrationError } from '../../../../src/infra/db/migrate'
import { replacePermissionInKeys } from '../../../../src/modules/organization/api-keys/replace-permission'
import { permissionsOfSystemRole } from '../../../../src/modules/organization/roles/catalog'
import {
  applyCatalogChanges,
  type CatalogChange,
} from '../../../../src/modules/organization/roles/catalog-migrations'
import { repairSystemRoles } from '../../../../src/modules/organization/roles/service'
import type { Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let db: Db
let custom: string
let keyId: string

beforeEach(async () => {
  world = await World.create({ isConnected: false, agentsSeeUnassigned: true })
  world.stays('rows that no server writes')
  db = world.program.http.db
  const admin = await world.as('admin')
  custom = String(
    (await admin.post('/api/roles', { name: 'Custom', permissions: ['tags:read', 'tags:create'] }))
      .data['id'],
  )
  keyId = (await keyOf(world, { permissions: ['tags:read', 'tags:create'] })).id
})

afterEach(() => world.stop())

const run = (steps: CatalogChange[]): number[] =>
  applyCatalogChanges(db, { nowMs: world.clock.nowMs(), inKeys: replacePermissionInKeys, steps })

const ofRole = (id: string): string[] =>
  world
    .rows<{ permission: string }>(
      'select permission from role_permissions where role_id = ? order by permission',
      id,
    )
    .map(({ permission }) => permission)

const ofKey = (): string[] =>
  world
    .rows<{ permission: string }>(
      'select permission from api_key_permissions where api_key_id = ? order by permission',
      keyId,
    )
    .map(({ permission }) => permission)

const ADD: CatalogChange = {
  number: 1,
  kind: 'add',
  pair: 'tags:merge',
  roles: ['admin', 'manager'],
}
const RENAME: CatalogChange = { number: 2, kind: 'rename', from: 'tags:create', to: 'tags:make' }
const SPLIT: CatalogChange = {
  number: 3,
  kind: 'split',
  from: 'tags:read',
  to: ['tags:list', 'tags:search'],
}
const REMOVE: CatalogChange = { number: 4, kind: 'remove', pair: 'tags:list' }

describe('a numbered change of the permission catalog', () => {
  test('adds a permission to the named system roles of every organization, and to no custom role or key', () => {
    expect(run([ADD])).toEqual([1])
    for (const tenant of world.tenants) {
      expect(ofRole(tenant.roleIds.admin)).toContain('tags:merge')
      expect(ofRole(tenant.roleIds.manager)).toContain('tags:merge')
      expect(ofRole(tenant.roleIds.agent)).not.toContain('tags:merge')
    }
    expect([ofRole(custom), ofKey()]).toEqual([
      ['tags:create', 'tags:read'],
      ['tags:create', 'tags:read'],
    ])
  })

  test('replaces a renamed or split permission in roles and keys', () => {
    run([ADD, RENAME, SPLIT])
    const held = ['tags:list', 'tags:make', 'tags:search']
    expect([ofRole(custom), ofKey()]).toEqual([held, held])
    expect(ofRole(world.other.roleIds.agent)).toEqual(
      expect.arrayContaining(['tags:list', 'tags:search']),
    )
    expect(ofRole(world.other.roleIds.agent)).not.toContain('tags:read')
  })

  test('removes a permission from all roles and keys', () => {
    run([ADD, RENAME, SPLIT, REMOVE])
    expect(world.rows("select 1 from role_permissions where permission = 'tags:list'")).toEqual([])
    expect(ofKey()).toEqual(['tags:make', 'tags:search'])
  })

  test('runs once, in order, also together with later ones', () => {
    expect(run([ADD, RENAME])).toEqual([1, 2])
    db.sqlite.run("delete from role_permissions where permission = 'tags:merge'")
    expect(run([SPLIT, ADD, RENAME])).toEqual([3])
    expect(world.rows("select 1 from role_permissions where permission = 'tags:merge'")).toEqual([])
    expect(run([ADD, RENAME, SPLIT])).toEqual([])
    expect(world.rows('select number from permission_seeds')).toEqual([
      { number: 1 },
      { number: 2 },
      { number: 3 },
    ])
  })

  test('prevents the start if this version does not know it', () => {
    run([ADD, RENAME])
    expect(() => run([ADD])).toThrow(MigrationError)
    expect(() => run([ADD])).toThrow('newer than this version')
  })
})

describe('migrations and catalog changes are one transaction', () => {
  test('a failure at the end leaves the database unchanged', () => {
    const sqlite = new Database(':memory:', { strict: true })
    const fresh = wrapDb(sqlite, { synchronous: 'normal', cacheMib: 2 })
    const failing = (): void =>
      void migrate(sqlite, {
        clock: world.clock,
        afterwards() {
          applyCatalogChanges(fresh, { nowMs: 0, inKeys: replacePermissionInKeys, steps: [ADD] })
          throw new Error('the power goes')
        },
      })
    expect(failing).toThrow('the power goes')
    expect(sqlite.query('select name from sqlite_master').all()).toEqual([])
    migrate(sqlite, {
      clock: world.clock,
      afterwards: () =>
        void applyCatalogChanges(fresh, {
          nowMs: 0,
          inKeys: replacePermissionInKeys,
          steps: [ADD],
        }),
    })
    expect(sqlite.query('select number from permission_seeds').all()).toEqual([{ number: 1 }])
    sqlite.close()
  })
})

describe('at the start', () => {
  test('restores a system role that differs from the catalog, logged and recorded, and leaves custom roles unchanged', async () => {
    const { manager } = world.tenant.roleIds
    const wanted = permissionsOfSystemRole('manager').toSorted()
    changeRows(
      db.sqlite,
      "delete from role_permissions where role_id = ? and permission = 'tags:read'",
      [manager],
    )
    changeRows(
      db.sqlite,
      "insert into role_permissions (organization_id, role_id, permission) values (?, ?, 'users:delete')",
      [world.tenant.id, manager],
    )
    expect(repairSystemRoles(world.program.http)).toBe(1)
    expect(ofRole(manager)).toEqual(wanted)
    expect(ofRole(custom)).toEqual(['tags:create', 'tags:read'])
    expect(world.logLines.join('')).toContain('permissions of a system role repaired')
    const admin = await world.as('admin')
    const { data } = await admin.get(`/api/audit-logs?resource_id=${manager}`)
    expect(data['items'] as Loose[]).toMatchObject([
      { actor_type: 'system', action: 'updated', resource_name: 'manager', user_id: null },
    ])
    expect(repairSystemRoles(world.program.http)).toBe(0)
  })
})
