import { and, eq, isNull } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import type { Report } from '../../../lib/input-problems'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { botFlows } from '../chatbot/bot-flows/table'
import { keywordRules } from '../chatbot/keywords/table'

type Button = Readonly<{ id?: string | undefined }>

/** The id of a button that leads to a bot flow or a rule. */
const TARGET = /^(flow|rule):(.+)$/

/**
 * Reports new buttons that lead to a bot flow or a rule which the organization does not have. Former
 * ones stay, because their rule may be deleted meanwhile. `path` is that of the buttons.
 */
export function reportButtonTargets(
  ctx: Ctx,
  report: Report,
  { path, given, former }: { path: string; given: readonly Button[]; former: readonly Button[] },
): void {
  const known = new Set(former.map(({ id }) => id))
  for (const [index, { id = '' }] of given.entries()) {
    const [, kind, target = ''] = TARGET.exec(id) ?? []
    if (kind === undefined || !isUuid(target) || known.has(id)) continue
    const isKnown = kind === 'flow' ? hasBotFlow(ctx, target) : hasRule(ctx, target)
    if (!isKnown)
      report(
        `${path}.${index}.id`,
        `leads to a ${kind === 'flow' ? 'bot flow' : 'rule'} that does not exist in this organization`,
      )
  }
}

/** Whether the organization has a bot flow. */
export const hasBotFlow = (ctx: Ctx, id: string): boolean =>
  ctx.db.orm
    .select({ id: botFlows.id })
    .from(botFlows)
    .where(inOrganization(ctx, botFlows, and(eq(botFlows.id, id), isNull(botFlows.deletedAtMs))))
    .get() !== undefined

const hasRule = (ctx: Ctx, id: string): boolean =>
  ctx.db.orm
    .select({ id: keywordRules.id })
    .from(keywordRules)
    .where(inOrganization(ctx, keywordRules, eq(keywordRules.id, id)))
    .get() !== undefined
