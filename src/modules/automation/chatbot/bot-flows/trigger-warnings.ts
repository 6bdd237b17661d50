import { and, eq, isNull, ne, or } from 'drizzle-orm'

import { spoken } from '../../../../lib/whole-words'
import type { FieldProblem } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { hiddenWords } from '../keywords/hidden-words'
import type { BotFlowRow } from './queries'
import { botFlows } from './table'

type ReadCtx = Pick<Ctx, 'db' | 'organizationId'>

/**
 * Returns the words and patterns of a flow that may not begin it: those of an enabled flow that also
 * begin another one, and words that opt a customer out or in.
 */
export const triggerWarnings = (ctx: ReadCtx, row: BotFlowRow): FieldProblem[] => [
  ...sameTriggers(ctx, row),
  ...(row.triggerMatchType === 'regex'
    ? []
    : hiddenWords(ctx, { field: 'trigger_keywords', effect: 'does not begin the flow' })(
        row.triggerKeywords,
      )),
]

function sameTriggers(ctx: ReadCtx, row: BotFlowRow): FieldProblem[] {
  const words = wordsOf(row)
  if (!row.isEnabled || words.length === 0) return []
  const others = ctx.db.orm
    .select({
      name: botFlows.name,
      triggerKeywords: botFlows.triggerKeywords,
      triggerMatchType: botFlows.triggerMatchType,
    })
    .from(botFlows)
    .where(
      inOrganization(
        ctx,
        botFlows,
        and(
          ne(botFlows.id, row.id),
          eq(botFlows.isEnabled, true),
          isNull(botFlows.deletedAtMs),
          row.accountId === null
            ? undefined
            : or(isNull(botFlows.accountId), eq(botFlows.accountId, row.accountId)),
        ),
      ),
    )
    .orderBy(botFlows.nameKey)
    .all()
  const names = new Map(others.flatMap((other) => wordsOf(other).map((word) => [word, other.name])))
  return words.flatMap((word, index) => {
    const name = names.get(word)
    return name === undefined
      ? []
      : [
          {
            path: `trigger_keywords.${index}`,
            message: `also begins the flow "${name}"; only one of them answers`,
          },
        ]
  })
}

/** Returns what begins a flow, in the form in which it is compared. A pattern is no word. */
const wordsOf = ({
  triggerKeywords,
  triggerMatchType,
}: Pick<BotFlowRow, 'triggerKeywords' | 'triggerMatchType'>): string[] =>
  triggerKeywords.map((keyword) =>
    triggerMatchType === 'regex' ? `/${keyword}/` : spoken(keyword),
  )
