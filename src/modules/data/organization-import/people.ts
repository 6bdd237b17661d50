import { isEmail, normalEmail } from '../../../lib/fields'
import type { Ctx } from '../../../infra/ctx'
import { bytesToUuid } from '../../../infra/db/uuid'
import { STORED_COLUMNS } from '../organization-archive/archive-users'
import { isAffordableHash } from '../../organization/users/password'
import { findUser, findUserByEmail, type UserRow } from '../../organization/users/service'
import { wrongValue, type ArchivePlace } from './archive/fault'
import type { RowToStore } from './archive/row-reader'

export interface ArchivedPerson {
  id: string
  /** `null` for a former member, of whom only the name is known. */
  email: string | null
  fullName: string
  isHome: boolean
  isDisabled: boolean
  mustChangePassword: boolean
  /** `null` if it stayed behind, or if it costs more than a sign-in can pay: it has to be reset. */
  passwordHash: string | null
  totpSecret: string | null
  hasTotp: boolean
  /** The columns of members that are stored as they are. */
  preferences: Partial<UserRow>
}

const PREFERENCES = STORED_COLUMNS.filter(({ key, isOfMembers }) => isOfMembers && key !== 'email')

/** Base32, as authenticator apps take it. */
const TOTP_SECRET = /^[A-Z2-7]{16,128}$/

/** Reads a person whose columns have their forms. Throws ArchiveFault with the line. */
export function readPerson(row: RowToStore, place: ArchivePlace): ArchivedPerson {
  const text = (column: string): string | null => {
    const value = row[column] ?? null
    return typeof value === 'string' ? value : null
  }
  const flag = (column: string): boolean => row[column] === 1
  const isMember = flag('is_member')
  const email = isMember ? normalEmail(text('email') ?? '') : null
  if (email !== null && !isEmail(email)) throw wrongValue('email', 'is no e-mail address', place)
  const fullName = text('full_name') ?? ''
  const passwordHash = isMember ? text('password_hash') : null
  const isAffordable = passwordHash === null ? false : isAffordableHash(passwordHash)
  if (isAffordable === null) throw wrongValue('password_hash', 'is no Argon2id hash', place)
  const totpSecret = isMember ? text('totp_secret') : null
  if (totpSecret !== null && !TOTP_SECRET.test(totpSecret))
    throw wrongValue('totp_secret', 'is no secret in Base32', place)
  return {
    ...{ email, fullName, totpSecret },
    passwordHash: isAffordable ? passwordHash : null,
    id: bytesToUuid(row['id'] as Uint8Array),
    isHome: flag('is_home'),
    isDisabled: flag('is_disabled'),
    mustChangePassword: flag('must_change_password'),
    hasTotp: flag('has_totp'),
    preferences: Object.fromEntries(
      PREFERENCES.flatMap(({ key, column }) => {
        const value = row[column.name] ?? null
        return value === null ? [] : [[key, column.mapFromDriverValue(value)]]
      }),
    ),
  }
}

/** Who a person of an archive is here. */
export type Match =
  | { outcome: 'created'; isOwnId: boolean; isRevived: boolean }
  | { outcome: 'former'; isRevived: boolean }
  | { outcome: 'joined' | 'unconfirmed' | 'known'; user: UserRow }

/**
 * Whether everything about the person was erased here, such as with the organization. A former member of
 * another organization that was imported is not: its rows still show the name.
 */
const isErased = ({ email, passwordHash, orphanedAtMs }: UserRow): boolean =>
  passwordHash === '' && email.endsWith('@erased.invalid') && orphanedAtMs === null

/**
 * Finds the account of a person. The account with the same e-mail is the person's if it has the
 * same password hash, which only a copy of the account has. A former member is only a name.
 */
export function matchPerson(ctx: Pick<Ctx, 'db'>, person: ArchivedPerson): Match {
  const sameId = findUser(ctx, person.id)
  const isRevived = sameId !== null && isErased(sameId)
  if (person.email === null)
    return sameId && !isRevived
      ? { outcome: 'known', user: sameId }
      : { outcome: 'former', isRevived }
  const isSame = (user: UserRow): boolean =>
    person.passwordHash !== null && user.passwordHash === person.passwordHash
  const sameEmail = findUserByEmail(ctx, person.email)
  if (sameEmail) return { outcome: isSame(sameEmail) ? 'joined' : 'unconfirmed', user: sameEmail }
  if (sameId && isSame(sameId)) return { outcome: 'joined', user: sameId }
  return { outcome: 'created', isOwnId: sameId === null || isRevived, isRevived }
}
