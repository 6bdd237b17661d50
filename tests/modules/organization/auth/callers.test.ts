import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../../../src/infra/db/connection'
import type { Client } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { freshDatabase, World } from '../../../support/world'

const folder = mkdtempSync(join(tmpdir(), 'switchboard-callers-'))
let world: World
/** Another process that writes to the same database. */
let beside: Database

beforeAll(async () => {
  const path = join(folder, 'switchboard.sqlite')
  await Bun.write(path, freshDatabase().serialize())
  world = await World.create({
    db: openDb(path, { synchronous: 'normal', cacheMib: 8 }),
    isConnected: false,
  })
  beside = new Database(path)
  beside.run('pragma busy_timeout = 2000')
})

afterAll(async () => {
  beside.close()
  await world.stop()
  rmSync(folder, { recursive: true })
})

const seen = async (client: Client): Promise<string> => {
  const { status, body } = await client.get('/api/tags')
  return status === 200 ? 'good' : String(body.code)
}

/**
 * Changes of another process that end a right, what the very next request hears, and how each is
 * undone.
 */
const ENDINGS: { who: 'person' | 'key'; change: string; undo: string; hears: string }[] = [
  {
    who: 'person',
    change: 'update users set is_disabled = 1',
    undo: 'update users set is_disabled = 0',
    hears: 'account_disabled',
  },
  {
    who: 'person',
    change: 'update memberships set is_active = 0',
    undo: 'update memberships set is_active = 1',
    hears: 'membership_ended',
  },
  {
    who: 'person',
    change: 'update sessions set ended_at_ms = 1',
    undo: 'update sessions set ended_at_ms = null',
    hears: 'session_ended',
  },
  {
    who: 'person',
    change:
      'insert into token_cutoffs select organization_id, user_id, 99999999999 from memberships',
    undo: 'delete from token_cutoffs',
    hears: 'session_ended',
  },
  {
    who: 'person',
    change: `update role_permissions set permission = 'x:tags' where permission = 'tags:read'`,
    undo: `update role_permissions set permission = 'tags:read' where permission = 'x:tags'`,
    hears: 'permission_denied',
  },
  {
    who: 'key',
    change: 'update api_keys set is_active = 0',
    undo: 'update api_keys set is_active = 1',
    hears: 'invalid_api_key',
  },
  {
    who: 'key',
    change: 'update api_keys set expires_at_ms = 1',
    undo: 'update api_keys set expires_at_ms = null',
    hears: 'invalid_api_key',
  },
  {
    who: 'key',
    change: 'update api_keys set owner_membership_id = null',
    undo: 'update api_keys set owner_membership_id = (select m.id from memberships m where m.user_id = owner_user_id)',
    hears: 'key_owner_inactive',
  },
  {
    who: 'key',
    change: `update api_key_permissions set permission = 'x:tags'`,
    undo: `update api_key_permissions set permission = 'tags:read'`,
    hears: 'permission_denied',
  },
  {
    who: 'key',
    change: 'update memberships set is_active = 0',
    undo: 'update memberships set is_active = 1',
    hears: 'key_owner_inactive',
  },
]

test('a change of permissions by another process applies from the next request of a cached caller', async () => {
  const person = await world.as('manager')
  const { client: key } = await keyOf(world, { permissions: ['tags:read'] })
  for (const { who, change, undo, hears } of ENDINGS) {
    const client = who === 'person' ? person : key
    const heard = [await seen(client), await seen(client)]
    beside.run(change)
    heard.push(await seen(client))
    beside.run(undo)
    heard.push(await seen(client))
    expect({ change, heard }).toEqual({ change, heard: ['good', 'good', hears, 'good'] })
  }
})

test('writes of every request and everyday work do not invalidate cached callers', async () => {
  const version = (): number =>
    Number(world.rows('select version from rights_version')[0]?.['version'])
  const before = version()
  for (const harmless of [
    'update sessions set last_used_at_ms = last_used_at_ms + 1',
    'update api_keys set last_used_at_ms = 1, last_used_ip = null',
    'update users set last_login_at_ms = 1, language = null',
    `update memberships set words = words || 'x', is_available = 1 - is_available`,
  ])
    beside.run(harmless)
  await world.signIn(world.emailOf('agent', world.tenant))
  await (await world.as('admin')).post('/api/tags', { name: 'VIP', color: 'blue' })
  expect(version()).toBe(before)
})

/** Statements that take or give rights, on every table they hang on; each has to be noticed. */
const NOTICED = [
  'update users set is_super_admin = is_super_admin',
  `update users set full_name = full_name || '.'`,
  'update memberships set role_id = role_id',
  'update roles set is_system = is_system',
  'update organizations set mask_phone_numbers = 1',
  'update sessions set expires_at_ms = expires_at_ms - 1',
  'update token_cutoffs set not_before_s = 0',
  'delete from token_cutoffs',
  'delete from api_key_permissions',
  'delete from api_keys',
  `delete from role_permissions where permission = 'tags:delete'`,
  'delete from sessions',
  'delete from memberships',
  'delete from roles',
  'delete from users',
  'delete from organizations',
]

test('every change of a row that affects permissions is counted, also by direct statements', async () => {
  await keyOf(world, { permissions: ['tags:read'] })
  const version = (): number =>
    Number(
      beside.query<{ version: number }, []>('select version from rights_version').get()?.version,
    )
  beside.run('pragma foreign_keys = off')
  beside.run('begin immediate')
  beside.run('insert into token_cutoffs select organization_id, user_id, 1 from memberships')
  for (const statement of NOTICED) {
    const before = version()
    const { changes } = beside.run(statement)
    expect({ statement, isNoticed: changes > 0 && version() > before }).toEqual({
      statement,
      isNoticed: true,
    })
  }
  beside.run('rollback')
  expect(await seen(await world.as('admin'))).toBe('good')
})
