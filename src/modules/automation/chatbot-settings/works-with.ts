import { and, count, eq, gt, isNull, lte, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { teams } from '../../inbox/teams/table'
import { botFlows, botFlowVersions } from '../chatbot/bot-flows/table'
import { keywordRules } from '../chatbot/keywords/table'
import type { ChatbotSettingsView } from './model'

/** Where a rule or a flow hands customers to: the ID of a team, or the general queue. */
const GENERAL = 'general'

/**
 * Returns what answers on a phone number, or with `null` on any: the rules that are on, the flows
 * that are on, and the queues to which these hand customers.
 */
export function worksWith(
  ctx: ReadCtx,
  accountId: string | null,
): ChatbotSettingsView['works_with'] {
  const { orm } = ctx.db
  const nowMs = ctx.clock.nowMs()
  const worksOn = (column: SQLiteColumn): SQL | undefined =>
    accountId === null ? undefined : or(isNull(column), eq(column, accountId))
  const isOn = inOrganization(
    ctx,
    keywordRules,
    eq(keywordRules.isEnabled, true),
    worksOn(keywordRules.accountId),
    or(isNull(keywordRules.activeFromMs), lte(keywordRules.activeFromMs, nowMs)),
    or(isNull(keywordRules.activeUntilMs), gt(keywordRules.activeUntilMs, nowMs)),
  )
  const flowIsOn = inOrganization(
    ctx,
    botFlows,
    eq(botFlows.isEnabled, true),
    worksOn(botFlows.accountId),
  )
  const ofRules = orm
    .selectDistinct({
      queue: sql<string>`coalesce(${keywordRules.responseContent} ->> '$.team_id', ${GENERAL})`,
    })
    .from(keywordRules)
    .where(and(isOn, eq(keywordRules.responseType, 'transfer')))
    .all()
  const ofFlows = orm
    .selectDistinct({
      queue: sql<string>`coalesce(node.value ->> '$.config.team_id', ${GENERAL})`,
    })
    .from(botFlows)
    .innerJoin(
      botFlowVersions,
      and(
        eq(botFlowVersions.organizationId, botFlows.organizationId),
        eq(botFlowVersions.flowId, botFlows.id),
        eq(botFlowVersions.version, botFlows.version),
      ),
    )
    .innerJoin(sql`json_each(${botFlowVersions.graph}, '$.nodes') as node`, sql`true`)
    .where(
      and(
        flowIsOn,
        sql`instr(${botFlowVersions.graph}, '"transfer"') > 0`,
        sql`node.value ->> 'type' = 'transfer'`,
      ),
    )
    .all()
  const named = new Set([...ofRules, ...ofFlows].map(({ queue }) => queue.toLowerCase()))
  // a team that is gone or inactive leaves its customers to the general queue
  const known = orm
    .select({ id: teams.id, name: teams.name })
    .from(teams)
    .where(inOrganization(ctx, teams, isNull(teams.deletedAtMs), eq(teams.isActive, true)))
    .orderBy(teams.name)
    .all()
    .filter(({ id }) => named.has(id))
  return {
    rules: orm.select({ rules: count() }).from(keywordRules).where(isOn).get()?.rules ?? 0,
    flows: orm.select({ flows: count() }).from(botFlows).where(flowIsOn).get()?.flows ?? 0,
    teams: known,
    general_queue: named.size > known.length,
  }
}
