import { sql } from 'drizzle-orm'

import type { Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { KeywordHit } from '../../../automation/chatbot/keywords/hooks'
import { KEPT_PART, slotOf, UNIT } from '../rollups/rules'
import { keywordRollups } from './table'

/** Adds a hit of a keyword to the counts, in the caller's transaction. */
export function countHitIn(
  tx: Tx,
  ctx: Ctx,
  { kind, id, keyword, accountId }: KeywordHit & { accountId: string },
): void {
  void tx // one connection: the statement runs inside the transaction that `tx` proves to be open
  const start = slotOf(ctx.clock.nowMs())
  const { organizationId } = ctx
  addHit(ctx.db).run({ organizationId, start, accountId, kind, sourceId: id, keyword })
}

const addHit = compiled((orm) =>
  orm
    .insert(keywordRollups)
    .values({
      organizationId: sql.placeholder('organizationId'),
      part: KEPT_PART,
      unit: UNIT.NEW,
      start: sql.placeholder('start'),
      accountId: sql.placeholder('accountId'),
      kind: sql.placeholder('kind'),
      sourceId: sql.placeholder('sourceId'),
      keyword: sql.placeholder('keyword'),
      hits: 1,
    })
    .onConflictDoUpdate({
      target: [
        keywordRollups.organizationId,
        keywordRollups.part,
        keywordRollups.unit,
        keywordRollups.start,
        keywordRollups.accountId,
        keywordRollups.kind,
        keywordRollups.sourceId,
        keywordRollups.keyword,
      ],
      set: { hits: sql`${keywordRollups.hits} + 1` },
    })
    .prepare(),
)
