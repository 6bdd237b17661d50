import { and, count, eq, ne, sql } from 'drizzle-orm'

import { ConflictError } from '../../lib/errors'
import type { Deps } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { copyAccountToMembershipsIn } from '../memberships/service'
import { hashOfNobody, type PasswordHasher } from './password'
import { costOf, users } from './table'

/** An account as its row holds it. */
export type UserRow = typeof users.$inferSelect

/** What a new account is made of; the password is already hashed. */
export interface NewUser {
  /** Made when absent. */
  id?: string
  email: string
  passwordHash: string
  fullName: string
  homeOrganizationId: string | null
  isSuperAdmin: boolean
  mustChangePassword: boolean
}

/**
 * Creates an account, in the caller's transaction; it belongs nowhere yet. Returns its id. The
 * unique e-mail is the caller's to check.
 */
export function createUserIn(tx: Tx, deps: Deps, input: NewUser): string {
  const nowMs = deps.clock.nowMs()
  const id = deps.ids.next()
  tx.insert(users)
    .values({ id, ...input, createdAtMs: nowMs, updatedAtMs: nowMs })
    .run()
  return id
}

/**
 * Refuses to take the rights of a super admin from the last one that is not disabled. Throws
 * ConflictError `last_super_admin`.
 */
export function requireOtherSuperAdminIn(tx: Tx, userId: string): void {
  const other = tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isSuperAdmin, true), eq(users.isDisabled, false), ne(users.id, userId)))
    .limit(1)
    .get()
  if (!other)
    throw new ConflictError(
      'The installation needs at least one super admin. Make another user a super admin ' +
        'first.',
      {
        code: 'last_super_admin',
      },
    )
}

const byId = compiled((orm) =>
  orm
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare(),
)

const byEmail = compiled((orm) =>
  orm
    .select()
    .from(users)
    .where(eq(users.email, sql.placeholder('email')))
    .prepare(),
)

/** The account with this id; `null` when there is none. */
export const findUser = (deps: Pick<Deps, 'db'>, id: string): UserRow | null =>
  byId(deps.db).get({ id }) ?? null

/** The account with this e-mail address; `null` when there is none. */
export const findUserByEmail = (deps: Pick<Deps, 'db'>, email: string): UserRow | null =>
  byEmail(deps.db).get({ email }) ?? null

const storedCost = costOf(users.passwordHash)

/** How many accounts have a hash of which cost, from an index of the costs. */
const accountsByCost = compiled((orm) =>
  orm
    .select({ cost: storedCost, accounts: count() })
    .from(users)
    .groupBy(storedCost)
    .orderBy(storedCost)
    .prepare(),
)

/** What a hash costs, as it stands in its PHC form. */
const COST = /^m=\d+,t=\d+,p=\d+$/

/**
 * What a password is verified against when there is no account with this e-mail, so that time tells
 * nothing: a hash of nobody, whose parameters are drawn by the e-mail from those that the accounts
 * have. Always the same ones for an e-mail, but that older parameters give way to today's as
 * sign-ins renew the hashes, just as those of an account do.
 */
export function decoyHash(
  deps: Pick<Deps, 'db' | 'vault'>,
  hasher: PasswordHasher,
  email: string,
): string {
  const known = accountsByCost(deps.db).all()
  const former = known.filter(({ cost }) => COST.test(cost) && cost !== hasher.cost)
  const costs = [...former, ...known.filter(({ cost }) => cost === hasher.cost)]
  const [mark = ''] = deps.vault.codeDigests(`decoy:${email}`)
  let place =
    (parseInt(mark.slice(0, 8), 16) / 2 ** 32) *
    costs.reduce((sum, { accounts }) => sum + accounts, 0)
  const drawn = costs.find(({ accounts }) => (place -= accounts) < 0)
  return hashOfNobody(drawn?.cost ?? hasher.cost)
}

/** Whether there is any account at all. */
export const hasUsers = (tx: Tx): boolean =>
  tx.select({ id: users.id }).from(users).limit(1).get() !== undefined

/**
 * Remembers a sign-in, and the hash when it was made anew with today's parameters, in the caller's
 * transaction.
 */
export function recordLoginIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  userId: string,
  passwordHash: string | null,
): void {
  tx.update(users)
    .set({ lastLoginAtMs: deps.clock.nowMs(), ...(passwordHash === null ? {} : { passwordHash }) })
    .where(eq(users.id, userId))
    .run()
}

/** Fields of an account that can be changed; who may change them is the caller's to check. */
export type UserChanges = Partial<Omit<UserRow, 'id' | 'createdAtMs' | 'updatedAtMs'>>

/**
 * Changes an account, in the caller's transaction; lists of members follow. The unique e-mail is
 * the caller's to check.
 */
export function updateUserIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  userId: string,
  changes: UserChanges,
): void {
  tx.update(users)
    .set({ ...changes, updatedAtMs: deps.clock.nowMs() })
    .where(eq(users.id, userId))
    .run()
  if (
    changes.fullName !== undefined ||
    changes.email !== undefined ||
    changes.isDisabled !== undefined
  )
    copyAccountToMembershipsIn(tx, userId)
}
