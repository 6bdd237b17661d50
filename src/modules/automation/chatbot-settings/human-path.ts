import { and, eq, isNull, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { InvalidError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { botFlows, botFlowVersions } from '../chatbot/bot-flows/table'
import { keywordRules } from '../chatbot/keywords/table'
import { notifyIn } from '../../organization/notifications/service'
import { holdersOf } from '../../organization/roles/holders'
import type { ChatbotSettings } from './catalog'
import { effectiveSettings, numbersThatDiffer } from './effective'
import { hearsPersonWords } from './person-words'
import { isAutomatic } from './rules'
import { noticeText } from '../../organization/notifications/catalog'

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
    'Nothing leads customers to a person: set `transfer_keywords`, `person_words_languages` or ' +
      '`fallback_transfer_after`, or send `acknowledge_no_human_path: true`.',
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
  settings.fallback_transfer_after === null &&
  !leadsToPerson(ctx, accountId, settings)

/** Whether a word, a rule or a flow leads to a person. */
const leadsToPerson = (
  ctx: Ctx,
  accountId: string | null,
  settings: Readonly<ChatbotSettings>,
): boolean =>
  hearsPersonWords(settings) || hasTransferRule(ctx, accountId) || hasTransferNode(ctx, accountId)

/** Returns what the settings allow although customers may not reach a person. */
export const humanPathWarnings = (
  ctx: Ctx,
  accountId: string | null,
  settings: Readonly<ChatbotSettings>,
): { code: 'human_path_missing'; message: string }[] =>
  lacksPath(ctx, accountId, settings)
    ? [
        {
          code: 'human_path_missing',
          message:
            'The bot answers, and nothing leads customers to a person: set `transfer_keywords` or ' +
            '`person_words_languages`, or add a rule or flow that transfers.',
        },
      ]
    : []

/** The organization and those of its numbers on which nothing leads to a person. */
const placesWithoutPath = (ctx: Ctx): Set<string | null> =>
  new Set(
    [null, ...numbersThatDiffer(ctx).map(({ id }) => id)].filter((accountId) =>
      lacksPath(ctx, accountId, effectiveSettings(ctx, accountId)),
    ),
  )

/**
 * Changes rules or flows in the caller's transaction. If that takes away the last way to a person,
 * the people who may change the chatbot are notified.
 */
export function watchHumanPathIn<T>(tx: Tx, ctx: Ctx, change: () => T): T {
  const before = placesWithoutPath(ctx)
  const result = change()
  if ([...placesWithoutPath(ctx)].some((place) => !before.has(place)))
    for (const userId of holdersOf(tx, ctx, 'chatbot:update'))
      notifyIn(tx, ctx, {
        userId,
        kind: 'human_path_missing',
        severity: 'warning',
        title: 'Customers cannot reach a person',
        text: noticeText('human_path_missing'),
        body:
          'The last rule or flow that hands customers to a person was disabled or deleted. Add ' +
          'one, or set words with which customers ask for a person.',
        link: '/bot',
      })
  return result
}

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
