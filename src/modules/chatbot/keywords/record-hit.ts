import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { uuidPlaceholder } from '../../../infra/db/uuid'
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
  const { db, organizationId } = ctx
  const nowMs = ctx.clock.nowMs()
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const atMs = quarterOf(nowMs)
  insertHit(db).run({ organizationId, atMs, accountId, kind, sourceId: id, keyword })
  if (kind === 'rule') updateRule(db).run({ organizationId, id, nowMs })
}

const insertHit = compiled((orm) =>
  orm
    .insert(keywordHits)
    .values({
      organizationId: sql.placeholder('organizationId'),
      atMs: sql.placeholder('atMs'),
      accountId: sql.placeholder('accountId'),
      kind: sql.placeholder('kind'),
      sourceId: sql.placeholder('sourceId'),
      keyword: sql.placeholder('keyword'),
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
    .prepare(),
)

const updateRule = compiled((orm) =>
  orm
    .update(keywordRules)
    .set({
      hitCount: sql`${keywordRules.hitCount} + 1`,
      lastHitAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, keywordRules, eq(keywordRules.id, uuidPlaceholder('id'))))
    .prepare(),
)
