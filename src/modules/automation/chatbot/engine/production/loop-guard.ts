import { and, count, eq, gt, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../../infra/db/compiled'
import type { Tx } from '../../../../../infra/db/transact'
import { messages } from '../../../../inbox/messages/table'
import { notifyIn } from '../../../../organization/notifications/service'
import { holdersOf } from '../../../../organization/roles/holders'
import { botMarks } from '../table'
import { noticeText } from '../../../../organization/notifications/catalog'

/** More automatic messages to one contact than these in a minute mean that another bot answers ours. */
export const MAX_PER_MINUTE = 20

/** How long the bot is silent then, milliseconds. */
export const SILENCE_MS = 10 * MINUTE_MS

const silentMark = compiled((orm) =>
  orm
    .select({ atMs: botMarks.atMs })
    .from(botMarks)
    .where(
      inOrganization(
        anyScope,
        botMarks,
        and(
          eq(botMarks.contactId, place(botMarks.contactId, 'contactId')),
          eq(botMarks.kind, 'silent_until'),
          gt(botMarks.atMs, sql.placeholder('nowMs')),
        ),
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

/** Returns `bot_loop` while the bot is silent because another bot answered it, otherwise `null`. */
export const loopReasonOf = (ctx: Ctx, contactId: string): 'bot_loop' | null =>
  silentMark(ctx.db).get({
    organizationId: ctx.organizationId,
    contactId,
    nowMs: ctx.clock.nowMs(),
  })
    ? 'bot_loop'
    : null

const sentSince = compiled((orm) =>
  orm
    .select({ messages: count() })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, place(messages.contactId, 'contactId')),
          gt(messages.timestampMs, place(messages.timestampMs, 'sinceMs')),
          sql`${messages.source} = 'chatbot'`,
        ),
      ),
    )
    .prepare(),
)

/**
 * Silences the bot for a contact that got too many automatic messages in a minute, and notifies those
 * who manage the bot. Runs in the transaction of the message.
 */
export function watchForLoopIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const nowMs = ctx.clock.nowMs()
  const { organizationId } = ctx
  const sinceMs = nowMs - MINUTE_MS
  const sent = sentSince(ctx.db).get({ organizationId, contactId, sinceMs })?.messages ?? 0
  if (sent <= MAX_PER_MINUTE) return
  const atMs = nowMs + SILENCE_MS
  tx.insert(botMarks)
    .values({ organizationId: ctx.organizationId, contactId, kind: 'silent_until', atMs })
    .onConflictDoNothing()
    .run()
  for (const userId of holdersOf(tx, ctx, 'chatbot:update'))
    notifyIn(tx, ctx, {
      userId,
      kind: 'bot_loop',
      severity: 'warning',
      title: 'The chatbot is silent for a contact',
      text: noticeText('bot_loop', { count: MAX_PER_MINUTE }),
      body:
        `It sent more than ${MAX_PER_MINUTE} messages within a minute, probably because another bot ` +
        'answers it. It answers this contact again in 10 minutes.',
      link: `/contacts/${contactId}`,
    })
}
