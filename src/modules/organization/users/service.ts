import { and, count, eq, ne, sql } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import { membershipsOf } from '../memberships/find'
import { copyAccountToMembershipsIn } from '../memberships/service'
import { requireNotMoving } from '../organizations/service'
import { unmatchableHash, type PasswordHasher } from './password'
import { costOf, users } from './table'
import { bytesToUuid } from '../../../infra/db/uuid'

/** A row of the users table. */
export type UserRow = typeof users.$inferSelect

/** Fields of a new user, with the password already hashed. */
export interface UserInput {
  /** Generated if omitted. */
  id?: string
  email: string
  passwordHash: string
  fullName: string
  homeOrganizationId: string | null
  isSuperAdmin: boolean
  mustChangePassword: boolean
}

/**
 * Creates a user without memberships and returns the ID. The caller checks that the email is
 * unique. Runs inside the caller's transaction.
 */
export function createUserIn(tx: Tx, deps: Deps, input: UserInput): string {
  const nowMs = deps.clock.nowMs()
  const id = deps.ids.next()
  tx.insert(users)
    .values({ id, ...input, createdAtMs: nowMs, updatedAtMs: nowMs })
    .run()
  return id
}

/** Requires another super admin who is not disabled. Throws ConflictError `last_super_admin`. */
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
    .where(eq(users.id, place(users.id, 'id')))
    .prepare(),
)

const byEmail = compiled((orm) =>
  orm
    .select()
    .from(users)
    .where(eq(users.email, sql.placeholder('email')))
    .prepare(),
)

/** Returns the user with this ID, or `null`. */
export const findUser = (deps: Pick<Deps, 'db'>, id: string): UserRow | null =>
  byId(deps.db).get({ id }) ?? null

/** Returns the user with this email, or `null`. */
export const findUserByEmail = (deps: Pick<Deps, 'db'>, email: string): UserRow | null =>
  byEmail(deps.db).get({ email }) ?? null

const storedCost = costOf(users.passwordHash)

/** Counts users by the cost of their password hash, from an index. */
const accountsByCost = compiled((orm) =>
  orm
    .select({ cost: storedCost, accounts: count() })
    .from(users)
    .groupBy(storedCost)
    .orderBy(storedCost)
    .prepare(),
)

/** Cost parameters in PHC form. */
const COST = /^m=(\d+),t=(\d+),p=\d+$/

/** Memory times passes of cost parameters. */
const workOf = (cost: string): number => {
  const [, memory, passes] = COST.exec(cost) ?? []
  return Number(memory) * Number(passes)
}

/**
 * Returns the hash to verify a password against if no user has the email, so that the duration does
 * not reveal this. The email determines the cost, with the same distribution as among stored
 * hashes: old costs give way to the current one as users sign in. It is never above the current
 * one, so that costly hashes from elsewhere do not make all failures costly.
 */
export function decoyHash(
  deps: Pick<Deps, 'db' | 'vault'>,
  hasher: PasswordHasher,
  email: string,
): string {
  const known = accountsByCost(deps.db)
    .all()
    .filter(({ cost }) => COST.test(cost))
    .map(({ cost, accounts }) => ({
      cost: workOf(cost) < workOf(hasher.cost) ? cost : hasher.cost,
      accounts,
    }))
  const costs = [
    ...known.filter(({ cost }) => cost !== hasher.cost),
    ...known.filter(({ cost }) => cost === hasher.cost),
  ]
  const [digest = ''] = deps.vault.codeDigests(`decoy:${email}`)
  let position =
    (parseInt(digest.slice(0, 8), 16) / 2 ** 32) *
    costs.reduce((sum, { accounts }) => sum + accounts, 0)
  const chosen = costs.find(({ accounts }) => (position -= accounts) < 0)
  return unmatchableHash(chosen?.cost ?? hasher.cost)
}

/**
 * Returns the organization whose turn at the password hashes a sign-in takes. An unknown email has
 * one as well, always the same, so that a wait does not reveal which emails are known.
 */
export function hashingTurnOf(
  deps: Pick<Deps, 'db' | 'vault'>,
  user: UserRow | null,
  email: string,
): string | null {
  const [digest = ''] = deps.vault.codeDigests(`turn:${email}`)
  const from = Buffer.from(digest, 'hex').subarray(0, 16)
  const { sqlite } = deps.db
  const after = sqlite
    .query<{ id: Uint8Array }, [Uint8Array]>(
      'select id from organizations where id >= ?1 order by id limit 1',
    )
    .get(from)
  const first = sqlite
    .query<{ id: Uint8Array }, []>('select id from organizations order by id limit 1')
    .get()
  const own = user && (user.homeOrganizationId ?? membershipsOf(deps, user.id)[0]?.organizationId)
  const decoy = after ?? first
  return own ?? (decoy ? bytesToUuid(decoy.id) : null)
}

/** Whether the installation has a user. */
export const hasUsers = (tx: Tx): boolean =>
  tx.select({ id: users.id }).from(users).limit(1).get() !== undefined

/**
 * Records a sign-in, and a hash that was renewed with the current cost. Runs inside the caller's
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

/** Fields of a user that can change. The caller checks who may change them. */
export type UserUpdate = Partial<Omit<UserRow, 'id' | 'createdAtMs' | 'updatedAtMs'>>

/** What travels with the organizations of a person, so it cannot change while one of them moves. */
const TRAVELLING = ['email', 'fullName', 'passwordHash', 'totpSealed', 'isDisabled'] as const

/**
 * Updates a user and the copies of its name, email and disabled flag in its memberships. The caller
 * checks that the email is unique. Runs inside the caller's transaction. Throws UnavailableError
 * `organization_moving` if the person is in an organization that is being moved.
 */
export function updateUserIn(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'db'>,
  userId: string,
  changes: UserUpdate,
): void {
  if (TRAVELLING.some((field) => changes[field] !== undefined))
    for (const { organizationId } of membershipsOf(deps, userId))
      requireNotMoving(deps, organizationId)
  storeUserIn(tx, deps, userId, changes)
}

/** Like {@link updateUserIn}, for values that mean the same as before. */
export function storeUserIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  userId: string,
  changes: UserUpdate,
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

/**
 * Empties the account of a person who is erased, in the caller's transaction. Nobody can sign in with
 * it any more, and its email is free again.
 */
export const emptyUserIn = (tx: Tx, deps: Pick<Deps, 'clock'>, userId: string): void =>
  tx
    .update(users)
    .set({
      ...emptied(users),
      isDisabled: true,
      homeOrganizationId: null,
      orphanedAtMs: null,
      updatedAtMs: deps.clock.nowMs(),
    })
    .where(eq(users.id, userId))
    .run()

/** Makes nobody's home of an organization that is erased, in the caller's transaction. */
export const leaveHomeIn = (tx: Tx, organizationId: string): void =>
  tx
    .update(users)
    .set({ homeOrganizationId: null })
    .where(eq(users.homeOrganizationId, organizationId))
    .run()
