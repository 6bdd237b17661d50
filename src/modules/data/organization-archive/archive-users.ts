import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { columnsOf } from '../../../infra/db/define-table'
import { users } from '../../organization/users/table'

interface UserColumn {
  name: string
  type: 'integer' | 'text' | 'id' | 'secret'
}

const typeOf = (column: SQLiteColumn): UserColumn['type'] => {
  const type = column.getSQLType()
  return type === 'blob' ? 'id' : type === 'integer' ? 'integer' : 'text'
}

/** Columns of an account that are archived as they are stored. */
export const STORED_COLUMNS = columnsOf(users).flatMap(({ key, column, use }) => {
  const { archived = use.class === 'personal' ? 'members' : 'never' } = use
  return archived === 'everybody' || archived === 'members'
    ? [{ key, column, isOfMembers: archived === 'members' }]
    : []
})

/**
 * Columns of the people whom rows refer to: members, and former members whose names rows still
 * show.
 *
 * - Former members have `is_member` 0 and no e-mail, secrets or settings, only their ID and name.
 * - `is_home` tells whether the organization manages the account of the person.
 * - `password_hash` (Argon2id in PHC form) and `totp_secret` are secrets. If an admin made the
 *   archive, they travel only for people whose account the organization manages and who are no super
 *   admins: an admin could otherwise guess passwords that are valid elsewhere. If a super admin or the
 *   operator made it, they travel for all members. `has_totp` tells whether the person has a second factor, so that a reader
 *   does not let anybody sign in without it.
 * - Super admins arrive as normal users.
 * - `ui` is that of people who belong to no other organization: a client may keep in it what they do there.
 */
export const USER_COLUMNS: UserColumn[] = [
  ...STORED_COLUMNS.map(({ column }) => ({ name: column.name, type: typeOf(column) })),
  { name: 'is_member', type: 'integer' },
  { name: 'is_home', type: 'integer' },
  { name: 'password_hash', type: 'secret' },
  { name: 'has_totp', type: 'integer' },
  { name: 'totp_secret', type: 'secret' },
]

/** Columns that tell people apart. */
export const USER_KEY = ['id']
