import { and, eq, isNull, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { botFlows, botFlowVersions } from '../chatbot/bot-flows/table'
import { keywordRules } from '../chatbot/keywords/table'
import type { ChatbotSettings } from './catalog'
import { isAutomatic } from './rules'

/** Settings of a number, or with `null` of the organization, before and after a change. */
interface Change {
  accountId: string | null
  before: Readonly<ChatbotSettings>
  after: Readonly<ChatbotSettings>
}

/**
 * Requires that a customer can reach a person whenever the bot or the AI is on. Throws InvalidError
 * `human_path_missing` for a change that enables one of them without a way, or removes the last
 * way.
 */
export function requireHumanPath(
  ctx: Ctx,
  { accountId, before, after }: Change,
  isAcknowledged: boolean,
): void {
  if (isAcknowledged || !lacksPath(ctx, accountId, after)) return
  const enables =
    (after.chatbot_enabled && !before.chatbot_enabled) || (after.ai_enabled && !before.ai_enabled)
  if (!enables && lacksPath(ctx, accountId, before)) return
  throw new InvalidError(
    'Nothing leads customers to a person: set `transfer_keywords` or `fallback_transfer_after`, ' +
      'or send `acknowledge_no_human_path: true`.',
    {
      code: 'human_path_missing',
      errors: [{ path: 'body.transfer_keywords', message: 'leaves no way to a person' }],
    },
  )
}

/** Whether the bot answers and nothing leads to a person. */
export const lacksPath = (
  ctx: Ctx,
  accountId: string | null,
  settings: Readonly<ChatbotSettings>,
): boolean =>
  isAutomatic(settings) &&
  settings.transfer_keywords.length === 0 &&
  settings.fallback_transfer_after === null &&
  !hasTransferRule(ctx, accountId) &&
  !hasTransferNode(ctx, accountId)

/** Rules and flows that work on a number; with `null` on any. */
const worksOn = (column: SQLiteColumn, accountId: string | null): SQL | undefined =>
  accountId === null ? undefined : or(isNull(column), eq(column, accountId))

const hasTransferRule = (ctx: Ctx, accountId: string | null): boolean =>
  ctx.db.orm
    .select({ id: keywordRules.id })
    .from(keywordRules)
    .where(
      inOrganization(
        ctx,
        keywordRules,
        eq(keywordRules.isEnabled, true),
        eq(keywordRules.responseType, 'transfer'),
        worksOn(keywordRules.accountId, accountId),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Whether an enabled bot flow has a node that transfers. */
const hasTransferNode = (ctx: Ctx, accountId: string | null): boolean =>
  ctx.db.orm
    .select({ id: botFlows.id })
    .from(botFlows)
    .innerJoin(
      botFlowVersions,
      and(
        eq(botFlowVersions.organizationId, botFlows.organizationId),
        eq(botFlowVersions.flowId, botFlows.id),
        eq(botFlowVersions.version, botFlows.version),
      ),
    )
    .where(
      inOrganization(
        ctx,
        botFlows,
        and(
          eq(botFlows.isEnabled, true),
          worksOn(botFlows.accountId, accountId),
          sql`instr(${botFlowVersions.graph}, '"transfer"') > 0 and exists (select 1 from json_each(${botFlowVersions.graph}, '$.nodes') as node where node.value ->> 'type' = 'transfer')`,
        ),
      ),
    )
    .limit(1)
    .get() !== undefined
