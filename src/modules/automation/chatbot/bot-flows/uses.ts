import { and, eq, isNull, or, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { accounts } from '../../../channel/accounts/table'
import { chatbotSettings } from '../../chatbot-settings/table'
import { keywordRules } from '../keywords/table'
import { botFlowReferences, botFlows, DRAFT } from './table'
import type { ReferenceKind } from './validate/references'

type ReadCtx = Pick<Ctx, 'db' | 'organizationId'>

/** A thing of the bot that names another thing. */
interface Use {
  kind: 'bot_flow' | 'keyword_rule' | 'chatbot_settings'
  /** The phone number, or the organization, for its settings. */
  id: string
  name: string
}

/** Uses of each kind that an answer lists. */
const MAX_SHOWN = 100

/**
 * Returns what leads to a bot flow or names a team: flows, keyword rules, and the buttons of the
 * greeting and the fallback.
 */
export const usesOf = (ctx: ReadCtx, kind: 'bot_flow' | 'team', targetId: string): Use[] => [
  ...flowsNaming(ctx, kind, targetId),
  ...rulesNaming(ctx, targetId),
  ...(kind === 'bot_flow' ? settingsNaming(ctx, targetId) : []),
]

/** Returns the keyword rules whose answer names a thing, in a field or in the id of a button. */
const rulesNaming = (ctx: ReadCtx, targetId: string): Use[] =>
  ctx.db.orm
    .select({ id: keywordRules.id, name: keywordRules.name })
    .from(keywordRules)
    .where(
      inOrganization(
        ctx,
        keywordRules,
        sql`instr(lower(${keywordRules.responseContent}), ${targetId}) > 0`,
      ),
    )
    .orderBy(keywordRules.nameKey)
    .limit(MAX_SHOWN)
    .all()
    .map((rule) => ({ kind: 'keyword_rule', ...rule }))

/** Returns the settings with a button that begins a flow; not those of disconnected numbers. */
const settingsNaming = (ctx: ReadCtx, flowId: string): Use[] =>
  ctx.db.orm
    .select({ id: chatbotSettings.accountId })
    .from(chatbotSettings)
    .leftJoin(
      accounts,
      and(
        eq(accounts.organizationId, chatbotSettings.organizationId),
        eq(accounts.id, chatbotSettings.accountId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        chatbotSettings,
        and(
          sql`instr(lower(${chatbotSettings.fields}), ${`"flow:${flowId}"`}) > 0`,
          isNull(accounts.deletedAtMs),
        ),
      ),
    )
    .limit(MAX_SHOWN)
    .all()
    .map(({ id }) => ({ kind: 'chatbot_settings', id, name: 'Chatbot settings' }))

/** Returns the flows whose draft or newest version names a thing. */
const flowsNaming = (ctx: ReadCtx, kind: ReferenceKind, targetId: string): Use[] =>
  ctx.db.orm
    .selectDistinct({ id: botFlows.id, name: botFlows.name })
    .from(botFlowReferences)
    .innerJoin(
      botFlows,
      and(
        eq(botFlows.organizationId, botFlowReferences.organizationId),
        eq(botFlows.id, botFlowReferences.flowId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        botFlowReferences,
        and(
          eq(botFlowReferences.kind, kind),
          eq(botFlowReferences.targetId, targetId),
          isNull(botFlows.deletedAtMs),
          or(eq(botFlowReferences.version, DRAFT), eq(botFlowReferences.version, botFlows.version)),
        ),
      ),
    )
    .orderBy(botFlows.nameKey)
    .limit(MAX_SHOWN)
    .all()
    .map((use) => ({ kind: 'bot_flow', ...use }))
