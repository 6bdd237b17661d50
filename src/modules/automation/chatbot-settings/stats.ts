import { and, count, eq, isNull, or, sql, sum, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { aiContexts, aiDays } from '../ai/table'
import { botFlows } from '../chatbot/bot-flows/table'
import { botSessions } from '../chatbot/engine/table'
import { keywordRules } from '../chatbot/keywords/table'
import { transfers } from '../transfers/table'
import type { ChatbotSettingsView } from './model'
import { chatbotCounts } from './table'

/** At most this many rows are counted of each kind. */
const MAX_COUNTED = 50_000

type Counted = SQLiteTable & { organizationId: SQLiteColumn; accountId: SQLiteColumn }

/** Returns the numbers that the settings show: of the organization, or of one phone number. */
export function chatbotStats(ctx: ReadCtx, accountId: string | null): ChatbotSettingsView['stats'] {
  const { orm } = ctx.db
  const rowsOf = (table: Counted, where?: SQL): number => {
    const some = orm
      .select({ one: sql<number>`1`.as('one') })
      .from(table)
      .where(inOrganization(ctx, table, where))
      .limit(MAX_COUNTED)
      .as('some')
    return orm.select({ rows: count() }).from(some).get()?.rows ?? 0
  }
  /** Rows of this number alone. */
  const own = (column: SQLiteColumn): SQL | undefined =>
    accountId === null ? undefined : eq(column, accountId)
  /** Rows that work on this number. */
  const working = (column: SQLiteColumn): SQL | undefined =>
    accountId === null ? undefined : or(eq(column, accountId), isNull(column))
  return {
    sessions_total: rowsOf(botSessions, own(botSessions.accountId)),
    sessions_active: rowsOf(
      botSessions,
      and(eq(botSessions.status, 'active'), own(botSessions.accountId)),
    ),
    messages_handled: Number(
      orm
        .select({ messages: sum(chatbotCounts.messages) })
        .from(chatbotCounts)
        .where(inOrganization(ctx, chatbotCounts, own(chatbotCounts.accountId)))
        .get()?.messages ?? 0,
    ),
    ai_responses: aiResponses(ctx),
    transfers: rowsOf(transfers, own(transfers.accountId)),
    keywords_count: rowsOf(keywordRules, working(keywordRules.accountId)),
    flows_count: rowsOf(botFlows, and(isNull(botFlows.deletedAtMs), working(botFlows.accountId))),
    ai_contexts_count: rowsOf(aiContexts, working(aiContexts.accountId)),
  }
}

/** Returns the number of answers of AI, of all numbers. */
const aiResponses = (ctx: ReadCtx): number =>
  Number(
    ctx.db.orm
      .select({ answers: sql<number>`sum(max(${aiDays.requests} - ${aiDays.failed}, 0))` })
      .from(aiDays)
      .where(inOrganization(ctx, aiDays))
      .get()?.answers ?? 0,
  )
