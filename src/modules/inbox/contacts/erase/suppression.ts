import { and, gte, inArray } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { SenderIds } from '../identities/identities'
import { suppressions } from '../table'

/**
 * Stores keyed digests of the numbers and IDs of an erased person. Runs inside the caller's
 * transaction. Returns their count.
 */
export function suppressIn(tx: Tx, ctx: Ctx, names: string[]): number {
  const marks = new Set(names.flatMap((name) => ctx.vault.codeDigests(name)))
  const nowMs = ctx.clock.nowMs()
  for (const mark of marks)
    tx.insert(suppressions)
      .values({ organizationId: ctx.organizationId, mark, createdAtMs: nowMs })
      .onConflictDoUpdate({
        target: [suppressions.organizationId, suppressions.mark],
        set: { createdAtMs: nowMs },
      })
      .run()
  return marks.size
}

const anySuppressed = compiled((orm) =>
  orm
    .select({ mark: suppressions.mark })
    .from(suppressions)
    .where(inOrganization(anyScope, suppressions))
    .limit(1)
    .prepare(),
)

/** Reports whether the organization ever erased a person. */
export const hasSuppressions = ({ db, organizationId }: Ctx): boolean =>
  anySuppressed(db).get({ organizationId }) !== undefined

/** Reports whether a number or ID belonged to an erased person. Imports must not restore it. */
export function isSuppressed(ctx: Ctx, { phone, userId, parentUserId }: SenderIds): boolean {
  const names = [phone, userId, parentUserId].filter((name) => name !== null)
  if (names.length === 0) return false
  const marks = names.flatMap((name) => ctx.vault.codeDigests(name))
  return (
    ctx.db.orm
      .select()
      .from(suppressions)
      .where(inOrganization(ctx, suppressions, inArray(suppressions.mark, marks)))
      .get() !== undefined
  )
}

/**
 * Reports whether one of these digests belongs to a person erased at or after `sinceMs`, in epoch
 * milliseconds.
 */
export const wasSuppressedSince = (ctx: Ctx, marks: string[], sinceMs: number): boolean =>
  ctx.db.orm
    .select({ mark: suppressions.mark })
    .from(suppressions)
    .where(
      inOrganization(
        ctx,
        suppressions,
        and(inArray(suppressions.mark, marks), gte(suppressions.createdAtMs, sinceMs)),
      ),
    )
    .limit(1)
    .get() !== undefined
