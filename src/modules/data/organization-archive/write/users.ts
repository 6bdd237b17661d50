import type { Database } from 'bun:sqlite'

import type { OrganizationTable } from '../../../../infra/organization-tables'
import { USERS_PART } from '../archive-format'
import { STORED_COLUMNS, USER_COLUMNS } from '../archive-users'
import { toArchived, type ArchivedValue, type StoredValue } from '../archive-values'
import type { ArchiveOrder } from './order'
import { idIn, type SecretWriter } from './secrets'

const TOTP = 'users/{id}/totp'

type UserRow = Record<string, StoredValue>

/** Returns the statement that reads the people whom rows of these tables refer to. */
function usersOf(sqlite: Database, tables: readonly OrganizationTable[]): string {
  const referring = tables.flatMap(({ name, owner }) =>
    sqlite
      .query<{ column: string }, [string]>(
        `select "from" as "column" from pragma_foreign_key_list(?) where "table" = 'users'`,
      )
      .all(name)
      .map(({ column }) => `select "${column}" from "${name}" where "${owner}" = ?1`),
  )
  return `
    select ${STORED_COLUMNS.map(({ column }) => `u."${column.name}"`).join(', ')},
      m.id is not null as is_member, u.home_organization_id is ?1 as is_home, u.password_hash,
      u.totp_sealed is not null as has_totp, u.totp_sealed as totp_secret, u.is_super_admin,
      exists (select 1 from memberships o where o.user_id = u.id and o.organization_id <> ?1) as is_elsewhere
    from users u left join memberships m on m.organization_id = ?1 and m.user_id = u.id
    where u.id in (${referring.join(' union ')}) order by u.id`
}

/** What only members have in the archive. */
const OF_MEMBERS = new Set([
  ...STORED_COLUMNS.filter(({ isOfMembers }) => isOfMembers).map(({ column }) => column.name),
  ...['has_totp', 'password_hash', 'totp_secret'],
])
const WITHOUT: Record<string, ArchivedValue> = { ui: '{}', has_totp: 0 }

/** Yields the lines of the people whom rows of the organization refer to. */
export function* userRows(
  sqlite: Database,
  tables: readonly OrganizationTable[],
  {
    order,
    organization,
    secrets,
  }: { order: ArchiveOrder; organization: Uint8Array; secrets: SecretWriter },
): Generator<ArchivedValue[]> {
  const rows = sqlite.query<UserRow, [Uint8Array]>(usersOf(sqlite, tables)).iterate(organization)
  for (const row of rows) {
    const isMember = row['is_member'] === 1
    const mayTravel =
      order.credentials === 'all' || (row['is_home'] === 1 && row['is_super_admin'] === 0)
    const key = [toArchived(row['id'] ?? null, 'id')]
    const idOf = idIn([{ name: 'id' }], [row['id'] ?? null])
    yield USER_COLUMNS.map(({ name: column, type }): ArchivedValue => {
      const isHidden = column === 'ui' && row['is_elsewhere'] === 1
      if (isHidden || (!isMember && OF_MEMBERS.has(column))) return WITHOUT[column] ?? null
      const value = row[column] ?? null
      if (type !== 'secret') return toArchived(value, type)
      const place = { table: USERS_PART, column, key }
      if (value === null) return null
      if (!mayTravel) return secrets.leave(place)
      return column === 'totp_secret'
        ? secrets.reseal(value, TOTP, { ...place, idOf })
        : secrets.seal(value as string, place)
    })
  }
}
