import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { ConflictError } from '../../../lib/errors'
import { accounts } from './table'

/** Requires that no other live account has the name or the number. Throws ConflictError. */
export function requireUniqueIn(
  tx: Tx,
  ctx: Ctx,
  wanted: { name: string | null; phoneId: string | null; exceptId: string | null },
): void {
  const other = wanted.exceptId === null ? undefined : ne(accounts.id, wanted.exceptId)
  const taken = (condition: SQL | undefined): boolean =>
    tx
      .select({ id: accounts.id })
      .from(accounts)
      .where(
        acrossOrganizations(
          'a phone number can be connected once in the whole installation',
          and(isNull(accounts.deletedAtMs), other, condition),
        ),
      )
      .limit(1)
      .get() !== undefined
  if (wanted.name !== null && taken(inOrganization(ctx, accounts, eq(accounts.name, wanted.name))))
    throw new ConflictError('Another account in this organization already has this `name`.', {
      code: 'name_taken',
      errors: [{ path: 'body.name', message: 'is already in use' }],
    })
  // Unique in the whole installation, because webhooks are routed by this ID. The error does not
  // reveal which organization has it.
  if (wanted.phoneId !== null && taken(eq(accounts.phoneId, wanted.phoneId)))
    throw new ConflictError('This phone number is already connected.', { code: 'phone_id_in_use' })
}

/**
 * Removes the default flags of the other accounts if this one gets them. At most one account is the
 * default of each kind.
 */
export function moveDefaultsIn(
  tx: Tx,
  ctx: Ctx,
  flags: { isDefaultIncoming: boolean; isDefaultOutgoing: boolean },
): void {
  if (flags.isDefaultIncoming)
    tx.update(accounts)
      .set({ isDefaultIncoming: false })
      .where(inOrganization(ctx, accounts, eq(accounts.isDefaultIncoming, true)))
      .run()
  if (flags.isDefaultOutgoing)
    tx.update(accounts)
      .set({ isDefaultOutgoing: false })
      .where(inOrganization(ctx, accounts, eq(accounts.isDefaultOutgoing, true)))
      .run()
}
