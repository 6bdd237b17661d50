import { and, eq, inArray } from 'drizzle-orm'

import type { Ctx, Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { eraseUserIn } from '../../../organization/members/erase-orphans'
import { membershipsOf } from '../../../organization/memberships/find'
import { sealTotpSecret } from '../../../organization/auth/second-factor'
import { unmatchableHash } from '../../../organization/users/password'
import { createUserIn, updateUserIn, type UserUpdate } from '../../../organization/users/service'
import { matchPerson, type ArchivedPerson } from '../people'
import { organizationImportUsers } from '../table'

/** A person of the archive who has another ID here, or has to confirm. */
export type ImportedPerson = typeof organizationImportUsers.$inferSelect

/** Costs of a hash that no password has. */
const costOf = ({ settings }: Pick<Deps, 'settings'>): string =>
  `m=${settings.passwordMemoryMib * 1_024},t=2,p=1`

/**
 * Finds or creates the account of a person, in the caller's transaction. `ctx` is that of the
 * imported organization. A new account has the password and the second factor of the archive; if one
 * of them stayed behind, nobody can sign in with it until the password was reset.
 */
export function importPersonIn(tx: Tx, ctx: Ctx, importId: string, person: ArchivedPerson): void {
  const match = matchPerson(ctx, person)
  const add = (userId: string, outcome: ImportedPerson['outcome']): void => {
    tx.insert(organizationImportUsers)
      .values({ importId, archivedId: person.id, userId, outcome })
      .run()
  }
  if ('user' in match) return add(match.user.id, match.outcome)
  const id = match.outcome === 'created' && !match.isOwnId ? ctx.ids.next() : person.id
  const fields = fieldsOf(ctx, id, person)
  if (match.isRevived) updateUserIn(tx, ctx, id, fields)
  else {
    createUserIn(tx, ctx, {
      ...{ id, email: fields.email, fullName: fields.fullName, isSuperAdmin: false },
      passwordHash: fields.passwordHash,
      homeOrganizationId: fields.homeOrganizationId,
      mustChangePassword: fields.mustChangePassword,
    })
    updateUserIn(tx, ctx, id, fields)
  }
  add(id, match.outcome)
}

type NewFields = UserUpdate & {
  email: string
  fullName: string
  passwordHash: string
  homeOrganizationId: string | null
  mustChangePassword: boolean
}

function fieldsOf(ctx: Ctx, id: string, person: ArchivedPerson): NewFields {
  const { fullName } = person
  if (person.email === null)
    return {
      ...{ fullName, email: `former-${id}@erased.invalid`, passwordHash: '' },
      ...{ isDisabled: true, mustChangePassword: false, homeOrganizationId: null },
      orphanedAtMs: ctx.clock.nowMs(),
    }
  const lacksFactor = person.hasTotp && person.totpSecret === null
  return {
    ...{ fullName, email: person.email, ...person.preferences },
    passwordHash:
      person.passwordHash === null || lacksFactor
        ? unmatchableHash(costOf(ctx))
        : person.passwordHash,
    totpSealed: person.totpSecret === null ? null : sealTotpSecret(ctx, id, person.totpSecret),
    isDisabled: person.isDisabled,
    mustChangePassword: person.mustChangePassword,
    homeOrganizationId: person.isHome ? ctx.organizationId : null,
    orphanedAtMs: null,
  }
}

export const importedPeople = ({ db }: Pick<Deps, 'db'>, importId: string): ImportedPerson[] =>
  db.orm
    .select()
    .from(organizationImportUsers)
    .where(eq(organizationImportUsers.importId, importId))
    .all()

/** People erased in one transaction. */
const AT_ONCE = 50

/**
 * Erases accounts that an import created, if they belong to no other organization, and forgets
 * everybody of it, in the caller's transaction. Returns whether there may be more.
 */
export function undoPeopleIn(
  tx: Tx,
  deps: Deps,
  { importId, organizationId }: { importId: string; organizationId: string },
): boolean {
  const some = importedPeople(deps, importId).slice(0, AT_ONCE)
  for (const { userId, outcome } of some) {
    const isOurs = outcome === 'created' || outcome === 'former'
    const others = membershipsOf(deps, userId).filter(
      (one) => one.organizationId !== organizationId,
    )
    if (isOurs && others.length === 0) eraseUserIn(tx, deps, userId)
  }
  tx.delete(organizationImportUsers)
    .where(
      and(
        eq(organizationImportUsers.importId, importId),
        inArray(
          organizationImportUsers.archivedId,
          some.map(({ archivedId }) => archivedId),
        ),
      ),
    )
    .run()
  return some.length === AT_ONCE
}
