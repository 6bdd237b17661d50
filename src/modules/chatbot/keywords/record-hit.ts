import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { quarterOf } from '../../../lib/clock'
import { keywordHits, keywordRules } from './table'

/** A keyword that a rule answered, or that started a bot flow. */
export interface KeywordHit {
  kind: 'rule' | 'flow'
  /** ID of the rule or flow. */
  id: string
  /** The keyword as the rule or flow has it; the first one if a button led there. */
  keyword: string
}

/** Counts a hit on a phone number. Runs inside the caller's transaction. */
export function recordHitIn(
  tx: Tx,
  ctx: Ctx,
  { kind, id, keyword, accountId }: KeywordHit & { accountId: string },
): void {
  const { organizationId } = ctx
  const nowMs = ctx.clock.nowMs()
  tx.insert(keywordHits)
    .values({
      organizationId,
      atMs: quarterOf(nowMs),
      accountId,
      kind,
      sourceId: id,
      keyword,
      hits: 1,
    })
    .onConflictDoUpdate({
      target: [
        keywordHits.organizationId,
        keywordHits.atMs,
        keywordHits.accountId,
        keywordHits.kind,
        keywordHits.sourceId,
        keywordHits.keyword,
      ],
      set: { hits: sql`${keywordHits.hits} + 1` },
    })
    .run()
  if (kind === 'rule')
    tx.update(keywordRules)
      .set({ hitCount: sql`${keywordRules.hitCount} + 1`, lastHitAtMs: nowMs })
      .where(inOrganization(ctx, keywordRules, eq(keywordRules.id, id)))
      .run()
}
