import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { writeEntry } from '../support/audit'
import type { Client, Loose } from '../support/client'
import { World } from '../support/world'
import { changeRows } from '../support/sql'

let world: World
let admin: Client

const MANY = 1_300
/** More audit log entries than a search reads one by one. */
const LONG = 5_000
const FIRST_MS = Date.UTC(2026, 0, 1)

/** Names with special characters, other scripts, digits of times, and separators. */
const NAMES = [
  'zoë 100%',
  'a_b',
  'c*d?',
  '[e]',
  'straße',
  'دانا',
  '李 雷',
  '😀 smile',
  'ann 2026',
  '101',
  'updated',
  "o'neil",
  'back\\slash',
  'i"j',
]

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  world.program.http.db.sqlite.transaction(() => {
    for (let i = 0; i < MANY; i += 1) fill(i)
    for (let i = MANY; i < LONG; i += 1) writeFiller(i)
  })()
})

afterAll(() => world.stop())

/** Creates a member, an invitation and an audit log entry, many at the same time. */
function fill(i: number): void {
  const { sqlite } = world.program.http.db
  const id = (kind: number): string =>
    `01900000-0000-7000-800${kind}-${((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(12, '0')}`
  const name = NAMES[i % NAMES.length] ?? ''
  const email = `p${i}@${name.includes('😀') ? '' : 'plain.'}example.com`
  const atMs = FIRST_MS + Math.floor(i / 3)
  const { tenant } = world
  changeRows(
    sqlite,
    `insert into users (id, email, password_hash, full_name, home_organization_id, created_at_ms, updated_at_ms) values (?, ?, 'none', ?, ?, ?, ?)`,
    [id(1), email, name, tenant.id, atMs, atMs],
  )
  changeRows(
    sqlite,
    `insert into memberships (organization_id, id, user_id, role_id, is_active, is_default, is_available, words, created_at_ms, updated_at_ms) values (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)`,
    [
      tenant.id,
      id(2),
      id(1),
      tenant.roleIds[i % 5 === 0 ? 'manager' : 'agent'],
      i % 7 === 0 ? 0 : 1,
      i % 2,
      `${name}\n${email}`,
      atMs,
      atMs,
    ],
  )
  changeRows(
    sqlite,
    `insert into invitations (organization_id, id, email, role_id, token_hash, invited_by, expires_at_ms, revoked_at_ms, created_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      tenant.id,
      id(3),
      `${i}+${i % 2 === 0 ? 'even' : 'odd'}@example.com`,
      tenant.roleIds.agent,
      `hash of ${id(3)}`,
      tenant.userIds.admin,
      i,
      i % 3 === 0 ? i : null,
      atMs,
    ],
  )
  writeEntry(world.program.http.db, {
    organizationId: tenant.id,
    id: id(4),
    actorType: 'user',
    userId: tenant.userIds.admin,
    userName: 'Ada',
    action: i % 2 === 0 ? 'updated' : 'created',
    resourceType: i % 4 === 0 ? 'sample' : 'thing',
    resourceName: name,
    words: `${i % 2 === 0 ? 'updated' : 'created'}\n${name}\nada`,
    createdAtMs: atMs,
  })
}

/** Creates an older audit log entry about something else. */
const writeFiller = (i: number): void =>
  writeEntry(world.program.http.db, {
    organizationId: world.tenant.id,
    id: `01900000-0000-7000-8005-${i.toString(16).padStart(12, '0')}`,
    actorType: 'user',
    userId: world.tenant.userIds.admin,
    userName: 'Bo',
    action: i % 2 === 0 ? 'updated' : 'exported',
    resourceType: 'thing',
    resourceName: 'hay',
    words: `${i % 2 === 0 ? 'updated' : 'exported'}\nhay\nbo`,
    createdAtMs: FIRST_MS - i,
  })

const TYPED = [
  ...NAMES,
  'a',
  '1',
  '0',
  '10',
  '01',
  '_',
  '20',
  'example',
  'plain',
  'p7',
  '@',
  'even',
  'odd',
  'thing',
  'THING',
  'SAMPLE',
  'nobody',
  'ada\nb',
  '\nada',
  'd\n',
  'ann 2026\np',
  '\u001f',
  'c\u001f',
  '%',
  '?',
  '\\',
]

interface Case {
  list: string
  path: string
  /** Its rows in order. */
  rows: string
}

const CASES: Case[] = [
  {
    list: 'members',
    path: '/api/organizations/members?',
    rows: 'select id, words from memberships where true order by created_at_ms desc, id desc',
  },
  {
    list: 'active members',
    path: '/api/organizations/members?is_active=true&',
    rows: 'select id, words from memberships where is_active = 1 order by created_at_ms desc, id desc',
  },
  {
    list: 'suspended users who are there',
    path: '/api/users?is_active=false&is_available=true&',
    rows: 'select user_id as id, words from memberships where is_active = 0 and is_available = 1 order by words',
  },
  {
    list: 'users',
    path: '/api/users?',
    rows: 'select user_id as id, words from memberships where true order by words',
  },
  {
    list: 'users of a large role',
    path: '/api/users?role_id=AGENT&',
    rows: "select user_id as id, words from memberships where role_id = 'AGENT' order by words",
  },
  {
    list: 'invitations',
    path: '/api/organizations/invitations?',
    rows: 'select id, email as words from invitations where true order by created_at_ms desc, id desc',
  },
  {
    list: 'revoked invitations',
    path: '/api/organizations/invitations?status=revoked&',
    rows: 'select id, email as words from invitations where revoked_at_ms is not null order by created_at_ms desc, id desc',
  },
  {
    list: 'the log',
    path: '/api/audit-logs?',
    rows: 'select id, words from audit_logs where true order by created_at_ms desc, id desc',
  },
  {
    list: 'the log of a kind',
    path: '/api/audit-logs?resource_type=thing&',
    rows: "select id, words from audit_logs where resource_type = 'thing' order by created_at_ms desc, id desc",
  },
  {
    list: 'the log of an action since a time',
    path: `/api/audit-logs?action=updated&from=${new Date(FIRST_MS + 100).toISOString()}&`,
    rows: `select id, words from audit_logs where action = 'updated' and created_at_ms >= ${FIRST_MS + 100} order by created_at_ms desc, id desc`,
  },
  {
    list: 'the log of a person',
    path: '/api/audit-logs?user_id=ADMIN&',
    rows: "select id, words from audit_logs where user_id = 'ADMIN' order by created_at_ms desc, id desc",
  },
]

describe('a search finds exactly the rows that contain the text', () => {
  for (const { list, path, rows } of CASES)
    test(list, async () => {
      const named = (text: string): string =>
        text
          .replace('AGENT', world.tenant.roleIds.agent)
          .replace('ADMIN', world.tenant.userIds.admin)
      const all = world.rows<{ id: string; words: string | null }>(
        named(rows).replace('where', `where organization_id = '${world.tenant.id}' and`),
      )
      for (const typed of TYPED) {
        const text = typed.trim().toLowerCase()
        const wanted = all.filter(({ words }) => words?.includes(text)).map(({ id }) => id)
        const last = Math.max(1, Math.ceil(wanted.length / 100))
        for (const page of new Set([1, Math.ceil(last / 2), last, last + 1])) {
          const { data } = await admin.get(
            `${named(path)}search=${encodeURIComponent(typed)}&limit=100&page=${page}`,
          )
          const items = (data['members'] ?? data['items']) as Loose[]
          expect({ typed, page, ids: items.map(({ id }) => id) }).toEqual({
            typed,
            page,
            ids: wanted.slice((page - 1) * 100, page * 100),
          })
          // A long audit log is read in order and not counted.
          if (data['total'] !== null || !list.startsWith('the log') || wanted.length <= 100)
            expect({ typed, page, total: data['total'] }).toEqual({
              typed,
              page,
              total: wanted.length,
            })
        }
      }
    })
})

test('the searched audit log shows each entry once by cursor', async () => {
  for (const typed of ['ann 2026', 'ada']) {
    const seen: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { data }: { data: Loose } = await admin.get(
        `/api/audit-logs?search=${encodeURIComponent(typed)}&limit=100${at}`,
      )
      seen.push(...(data['items'] as Loose[]).map(({ id }) => id))
      cursor = data['next_cursor'] as string | null
    }
    const wanted = world.rows<{ id: string }>(
      'select id from audit_logs where organization_id = ? and instr(words, ?) > 0 order by created_at_ms desc, id desc',
      world.tenant.id,
      typed,
    )
    expect(seen).toEqual(wanted.map(({ id }) => id))
  }
})

test('finds a renamed member by its new name, and log entries by the former one', async () => {
  const mark = 'quixotrope'
  const { data } = await admin.post('/api/users', {
    email: 'renamed@example.com',
    full_name: `Mark ${mark}`,
    password: 'a password of a test',
    role_id: world.tenant.roleIds.agent,
  })
  const found = async (): Promise<unknown[]> => {
    const lists = ['users', 'organizations/members', 'audit-logs']
    return Promise.all(
      lists.map(async (list) => (await admin.get(`/api/${list}?search=${mark}`)).data['total']),
    )
  }
  expect(await found()).toEqual([1, 1, 1])
  await admin.put(`/api/users/${data['id']}`, { full_name: 'Somebody else' })
  expect(await found()).toEqual([0, 0, 1])
})

test('a search sees rows added or removed since the last one', async () => {
  const lists = [
    'users?search=plain',
    'organizations/members?search=plain',
    'organizations/invitations?search=even',
  ]
  const logs = [
    'audit-logs?search=ada',
    `audit-logs?search=ada&user_id=${world.tenant.userIds.admin}`,
    'audit-logs?search=ada&action=created&page=2',
  ]
  const totals = async (paths: string[]): Promise<number[]> =>
    Promise.all(paths.map(async (path) => Number((await admin.get(`/api/${path}`)).data['total'])))
  const { sqlite } = world.program.http.db
  const before = [await totals(lists), await totals(logs)]
  expect(before.flat().every((total) => total > 100)).toBe(true)
  fill(MANY + 13) // an odd number, with a name of the first plane
  fill(MANY + 14)
  const more = [await totals(lists), await totals(logs)]
  expect(more[0]).toEqual((before[0] ?? []).map((total, at) => total + (at < 2 ? 2 : 1)))
  expect(more[1]).toEqual((before[1] ?? []).map((total, at) => total + (at < 2 ? 2 : 1)))
  for (const table of ['audit_logs', 'invitations', 'memberships'])
    changeRows(sqlite, `delete from ${table} where created_at_ms between ? and ?`, [
      FIRST_MS + Math.floor((MANY + 13) / 3),
      FIRST_MS + MANY,
    ])
  const after = [await totals(lists), await totals(logs)]
  expect(after).toEqual(before)
})
