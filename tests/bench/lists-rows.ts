import { Database } from 'bun:sqlite'

import { ADMINS } from '../chaos/installation'
import { changeRows } from '../support/sql'

/**
 * How many rows of each kind a large organization has; sessions and notifications are those of one
 * person.
 */
export const COUNTS = {
  members: 5_000,
  roles: 500,
  entries: 1_000_000,
  invitations: 5_000,
  keys: 1_000,
  sessions: 1_000,
  notifications: 10_000,
}
/** Notifications and sessions of the others. */
const OF_OTHERS = 100_000
/** Young enough to be kept. */
export const NEWEST_MS = Date.now()

/** Writes the rows straight into the database file, while no server runs. */
export function fill(path: string): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  sqlite.transaction(() => {
    for (const statement of FILL) changeRows(sqlite, statement)
  })()
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}

const count = (rows: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
const id = (kind: string, number = 'i'): string =>
  `unhex(printf('0190000000007000${kind}%012x', ${number}))`

const ORGANIZATION = '(select id from organizations order by rowid limit 1)'
const CALLER = `(select id from users where email = '${ADMINS[0]}')`
const FIRST_NAMES = "substr('Ann Bob Cleo Dan Eve Finn Gus Hana Ida Jon ', 1 + 4 * (i % 10), 4)"
/** A time that lies so many minutes back for each row. */
const minutesBack = (minutes = 1): string => `${NEWEST_MS} - i * ${minutes * 60_000}`

const PEOPLE = [
  `${count(COUNTS.roles)} insert into roles (organization_id, id, name, name_key, description, words, is_system, is_default, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8001')}, 'Role ' || i, 'role ' || i, 'Number ' || i, 'role ' || i || char(10) || 'number ' || i, 0, 0, i, i from n`,
  ...['contacts:read', 'messages:read', 'messages:create', 'tags:read', 'templates:read'].map(
    (permission) =>
      `insert into role_permissions (organization_id, role_id, permission) select organization_id, id, '${permission}' from roles where is_system = 0`,
  ),
  `${count(COUNTS.members)} insert into users (id, email, password_hash, full_name, home_organization_id, created_at_ms, updated_at_ms)
   select ${id('8002')}, 'person' || i || '@example.com', 'none', ${FIRST_NAMES} || 'Person ' || i, ${ORGANIZATION}, i, i from n`,
  `${count(COUNTS.members)} insert into memberships (organization_id, id, user_id, role_id, is_active, is_default, is_available, words, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8003')}, ${id('8002')}, ${id('8001', `1 + i % ${COUNTS.roles}`)}, i % 50 != 0, 1, i % 3 != 0,
     lower(${FIRST_NAMES} || 'Person ' || i || char(10) || 'person' || i || '@example.com'), i, i from n`,
]

/** Who did what: the first person did half of all, which is more than a few. */
const ACTOR = 'case when i % 2 = 0 then 1 else 2 + i % 499 end'

const ENTRIES = [
  `${count(COUNTS.entries)} insert into audit_logs (row, organization_id, id, actor_type, user_id, user_name, action, resource_type, resource_id, resource_name, changes, words,
     ip_address, user_agent, request_id, created_at_ms)
   select coalesce((select max(row) from audit_logs), 4294967296) + i, ${ORGANIZATION}, ${id('8004')}, 'user', ${id('8002', ACTOR)}, 'Person ' || (${ACTOR}),
     case i % 5 when 0 then 'created' when 1 then 'deleted' else 'updated' end, case i % 3 when 0 then 'role' when 1 then 'user' else 'contact' end,
     ${id('8005', 'i % 20000')}, 'Thing ' || (i % 20000),
     '[{"field":"name","old_value":"Before ' || i || '","new_value":"After ' || i || '"},{"field":"description","old_value":null,"new_value":"Some words about it"}]',
     case i % 5 when 0 then 'created' when 1 then 'deleted' else 'updated' end || char(10) || 'thing ' || (i % 20000) || char(10) || 'person ' || (${ACTOR}),
     '192.0.2.' || (i % 250), 'Mozilla/5.0 (X11; Linux x86_64)', lower(hex(${id('8006')})), ${NEWEST_MS} - (${COUNTS.entries} - i) * 1000 from n`,
  `insert into audit_search (audit_search) values ('rebuild')`,
]

/** Of five invitations one is pending, two accepted, one revoked and one expired. */
const INVITATIONS = [
  `${count(COUNTS.invitations)} insert into invitations (organization_id, id, email, role_id, token_hash, invited_by, expires_at_ms, accepted_at_ms, accepted_by_user_id,
     revoked_at_ms, created_at_ms)
   select ${ORGANIZATION}, ${id('8007')}, 'guest' || i || '@example.com', ${id('8001', `1 + i % ${COUNTS.roles}`)}, printf('%064x', i), ${CALLER},
     ${NEWEST_MS} + (case i % 5 when 4 then -1 else 1 end) * 600000000, case when i % 5 in (1, 2) then ${NEWEST_MS} end, case when i % 5 in (1, 2) then ${id('8002')} end,
     case i % 5 when 3 then ${NEWEST_MS} end, ${minutesBack()} from n`,
]

const KEYS = [
  `${count(COUNTS.keys)} insert into api_keys (organization_id, id, name, key_hash, key_prefix, owner_user_id, owner_membership_id, is_active, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8008')}, 'Program ' || i, printf('%064x', i), printf('%08x', i), ${id('8002')}, ${id('8003')}, i % 10 != 0, ${minutesBack()}, i from n`,
  ...['contacts:read', 'messages:read', 'messages:create'].map(
    (permission) =>
      `insert into api_key_permissions (organization_id, api_key_id, permission) select organization_id, id, '${permission}' from api_keys`,
  ),
]

const signIns = (rows: number, kind: string, of: string): string[] => [
  `${count(rows)} insert into sessions (id, user_id, ip_address, user_agent, created_at_ms, last_used_at_ms, expires_at_ms)
   select ${id(kind)}, ${of}, '192.0.2.' || (i % 250), 'Mozilla/5.0 (X11; Linux x86_64)', ${minutesBack(2)}, ${minutesBack()}, ${NEWEST_MS} + 600000000 from n`,
  `${count(rows)} insert into refresh_tokens (id, session_id, organization_id, token_hash, issued_at_ms, expires_at_ms)
   select ${id(kind)}, ${id(kind)}, ${ORGANIZATION}, '${kind}' || printf('%060x', i), ${minutesBack()}, ${NEWEST_MS} + 600000000 from n`,
]

const notes = (rows: number, kind: string, of: string): string =>
  `${count(rows)} insert into notifications (organization_id, id, user_id, kind, severity, title, body, created_at_ms, read_at_ms)
   select ${ORGANIZATION}, ${id(kind)}, ${of}, 'membership_added', 'info', 'You were added', 'Number ' || i, ${minutesBack()}, case when i % 3 = 0 then ${NEWEST_MS} end from n`

const FILL = [
  ...PEOPLE,
  ...ENTRIES,
  ...INVITATIONS,
  ...KEYS,
  ...signIns(COUNTS.sessions, '8009', CALLER),
  ...signIns(OF_OTHERS, '800a', id('8002', `1 + i % ${COUNTS.members}`)),
  notes(COUNTS.notifications, '800b', CALLER),
  notes(OF_OTHERS, '800c', id('8002', `1 + i % ${COUNTS.members}`)),
]
