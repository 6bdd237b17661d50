import { and, eq, sql } from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { botFlows, botFlowVersions } from '../chatbot/bot-flows/table'
import { keywordRules } from '../chatbot/keywords/table'
import type { ChatbotSettings } from './catalog'
import { isAutomatic } from './rules'

/** Settings before and after a change. */
interface Change {
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
  { before, after }: Change,
  isAcknowledged: boolean,
): void {
  if (isAcknowledged || !lacksPath(ctx, after)) return
  const enables =
    (after.chatbot_enabled && !before.chatbot_enabled) || (after.ai_enabled && !before.ai_enabled)
  if (!enables && lacksPath(ctx, before)) return
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
export const lacksPath = (ctx: Ctx, settings: Readonly<ChatbotSettings>): boolean =>
  isAutomatic(settings) && !hasPath(ctx, settings)

const hasPath = (ctx: Ctx, settings: Readonly<ChatbotSettings>): boolean =>
  settings.transfer_keywords.length > 0 ||
  settings.fallback_transfer_after !== null ||
  hasTransferRule(ctx) ||
  hasTransferNode(ctx)

const hasTransferRule = (ctx: Ctx): boolean =>
  ctx.db.orm
    .select({ id: keywordRules.id })
    .from(keywordRules)
    .where(
      inOrganization(
        ctx,
        keywordRules,
        and(eq(keywordRules.isEnabled, true), eq(keywordRules.responseType, 'transfer')),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Whether an enabled bot flow has a node that transfers. */
const hasTransferNode = (ctx: Ctx): boolean =>
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
          sql`exists (select 1 from json_each(${botFlowVersions.graph}, '$.nodes') as node where node.value ->> 'type' = 'transfer')`,
        ),
      ),
    )
    .limit(1)
    .get() !== undefined
