import { and, eq, isNull, or, sql } from 'drizzle-orm'

import { systemCtx, type Deps } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { inOrganization } from '../../infra/ctx'
import { openSecret, SECRET_COLUMNS, sealSecret } from './secrets'
import { accounts } from './table'
import type { AccountRow } from './view'

/** Numbers in one transaction. */
const BATCH = 50

/**
 * Encrypts secrets with the present key that were encrypted with the former one, a batch of numbers in the caller's transaction. Both
 * keys work meanwhile. Returns how many numbers it was.
 */
export function sealAnewIn(tx: Tx, deps: Deps): number {
  if (!deps.vault.isRotating) return 0
  const isFormer = or(...SECRET_COLUMNS.map((column) => sql`${accounts[column]} not like ${`${deps.vault.currentKeyId}.%`}`))
  const rows = tx
    .select()
    .from(accounts)
    .where(and(isNull(accounts.deletedAtMs), isFormer))
    .limit(BATCH)
    .all()
  for (const row of rows) {
    const ctx = systemCtx(deps, row.organizationId)
    tx.update(accounts)
      .set(anew(ctx, row))
      .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
      .run()
  }
  return rows.length
}

/** The secrets of a row, encrypted with the present key. */
function anew(ctx: Parameters<typeof sealSecret>[0], row: AccountRow): Partial<AccountRow> {
  const sealed = SECRET_COLUMNS.map((column) => [column, sealSecret(ctx, row.id, column, openSecret(ctx, row, column))] as const)
  return Object.fromEntries(sealed)
}
