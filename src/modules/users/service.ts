import { eq, sql } from 'drizzle-orm'

import type { Deps } from '../../infra/ctx'
import { compiled, transact, type Tx } from '../../infra/db'
import { users } from './table'

/** An account as its row holds it. */
export type UserRow = typeof users.$inferSelect

/** What a new account is made of; the password is already hashed. */
export interface NewUser {
  email: string
  passwordHash: string
  fullName: string
  homeOrganizationId: string | null
  isSuperAdmin: boolean
  mustChangePassword: boolean
}

const EMAIL = /^[^\s@]+@[^\s@]+$/
const LONGEST_EMAIL = 254

/** An e-mail address as it is compared and stored: trimmed, lower case; `null` when it is none. */
export function normalEmail(written: string): string | null {
  const email = written.trim().toLowerCase()
  return EMAIL.test(email) && email.length <= LONGEST_EMAIL ? email : null
}

/** Creates an account, in the caller's transaction; it belongs nowhere yet. Returns its id. The unique e-mail is the caller's to check. */
export function createUserIn(tx: Tx, deps: Deps, input: NewUser): string {
  const nowMs = deps.clock.nowMs()
  const id = deps.ids.next()
  tx.insert(users)
    .values({ id, ...input, createdAtMs: nowMs, updatedAtMs: nowMs })
    .run()
  return id
}

const byId = compiled((orm) =>
  orm
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare(),
)

/** The account with this id; `null` when there is none. */
export const findUser = (deps: Pick<Deps, 'db'>, id: string): UserRow | null => byId(deps.db).get({ id }) ?? null

/** The account with this e-mail address; `null` when there is none. */
export const findUserByEmail = (deps: Pick<Deps, 'db'>, email: string): UserRow | null =>
  deps.db.orm.select().from(users).where(eq(users.email, email)).get() ?? null

/** Whether there is any account at all. */
export const hasUsers = (tx: Tx): boolean => tx.select({ id: users.id }).from(users).limit(1).get() !== undefined

/** Remembers a sign-in, and the hash when it was made anew with today's parameters. */
export function recordLogin(deps: Deps, userId: string, passwordHash: string | null): void {
  const nowMs = deps.clock.nowMs()
  transact(deps.db, (tx) => {
    tx.update(users)
      .set({ lastLoginAtMs: nowMs, ...(passwordHash === null ? {} : { passwordHash }) })
      .where(eq(users.id, userId))
      .run()
  })
}
