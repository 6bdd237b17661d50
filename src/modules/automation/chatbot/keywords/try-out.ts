import type { Ctx } from '../../../../infra/ctx'
import { matchRules } from './match'
import type { KeywordTest, KeywordTestResult } from './model'
import { requireReferences } from './references'
import { rulesAreReady } from './sets'

/** Returns the rules that match a text. Throws InvalidError `bad_reference`. */
export async function testKeywords(
  ctx: Ctx,
  { text, account_id: accountId = null, at }: KeywordTest,
): Promise<KeywordTestResult> {
  requireReferences(ctx, { accountId })
  await rulesAreReady(ctx)
  const atMs = at === undefined ? ctx.clock.nowMs() : Date.parse(at)
  const { found, skipped } = matchRules(ctx, { text, accountId, atMs })
  const matches = found.flatMap((one) =>
    one.kind === 'rule'
      ? [{ id: one.rule.id, name: one.rule.name, keyword: one.keyword, priority: one.priority }]
      : [],
  )
  return {
    matches,
    winner: matches[0] ?? null,
    skipped: skipped.map(({ id, name }) => ({ id, name })),
  }
}
