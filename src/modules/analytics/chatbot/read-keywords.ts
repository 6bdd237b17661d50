import { and, between, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { keywordHits } from '../../chatbot/keywords/table'
import type { KeywordFigures } from './model'
import type { SessionFilter } from './read-sessions'

const MAX_KEYWORDS = 20

/** Returns the keywords that were hit most often in a span; with a flow, its triggers only. */
export function topKeywords(
  ctx: Ctx,
  { fromMs, beforeMs, accountId, flowId }: SessionFilter,
): KeywordFigures[] {
  const hits = sql<number>`sum(${keywordHits.hits})`
  return ctx.db.orm
    .select({
      keyword: keywordHits.keyword,
      kind: keywordHits.kind,
      sourceId: keywordHits.sourceId,
      hits,
    })
    .from(keywordHits)
    .where(
      inOrganization(
        ctx,
        keywordHits,
        and(
          between(keywordHits.atMs, fromMs, beforeMs - 1),
          accountId === undefined ? undefined : eq(keywordHits.accountId, accountId),
          flowId === undefined
            ? undefined
            : and(eq(keywordHits.kind, 'flow'), eq(keywordHits.sourceId, flowId)),
        ),
      ),
    )
    .groupBy(keywordHits.kind, keywordHits.sourceId, keywordHits.keyword)
    .orderBy(sql`${hits} desc`, keywordHits.keyword, keywordHits.sourceId)
    .limit(MAX_KEYWORDS)
    .all()
    .map(({ keyword, kind, sourceId, hits: count }) => ({
      keyword,
      rule_id: kind === 'rule' ? sourceId : null,
      flow_id: kind === 'flow' ? sourceId : null,
      count,
    }))
}
