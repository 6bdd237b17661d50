import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { runHooks } from '../../../../infra/transaction-hooks'
import { KeywordHitRecorded, type KeywordHit } from './hooks'
import { keywordRules } from './table'

/** Counts a hit on a phone number. Runs inside the caller's transaction. */
export function recordHitIn(tx: Tx, ctx: Ctx, hit: KeywordHit & { accountId: string }): void {
  runHooks(tx, ctx, KeywordHitRecorded, hit)
  if (hit.kind === 'rule')
    updateRule(ctx.db).run({
      organizationId: ctx.organizationId,
      id: hit.id,
      nowMs: ctx.clock.nowMs(),
    })
}

const updateRule = compiled((orm) =>
  orm
    .update(keywordRules)
    .set({
      hitCount: sql`${keywordRules.hitCount} + 1`,
      lastHitAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(
      inOrganization(anyScope, keywordRules, eq(keywordRules.id, place(keywordRules.id, 'id'))),
    )
    .prepare(),
)
