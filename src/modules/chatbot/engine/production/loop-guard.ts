import { and, count, eq, gt } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../messages/table'
import { notifyIn } from '../../../notifications/service'
import { holdersOf } from '../../../roles/holders'
import { botMarks } from '../table'

/** More automatic messages to one contact than these in a minute mean that another bot answers ours. */
const MAX_PER_MINUTE = 20

/** How long the bot is silent then, milliseconds. */
const SILENCE_MS = 10 * MINUTE_MS

/** Returns `bot_loop` while the bot is silent because another bot answered it, otherwise `null`. */
export const loopReasonOf = (ctx: Ctx, contactId: string): 'bot_loop' | null =>
  ctx.db.orm
    .select({ atMs: botMarks.atMs })
    .from(botMarks)
    .where(
      inOrganization(
        ctx,
        botMarks,
        and(
          eq(botMarks.contactId, contactId),
          eq(botMarks.kind, 'silent_until'),
          gt(botMarks.atMs, ctx.clock.nowMs()),
        ),
      ),
    )
    .limit(1)
    .get()
    ? 'bot_loop'
    : null

/**
 * Silences the bot for a contact that got too many automatic messages in a minute, and notifies those
 * who manage the bot. Runs in the transaction of the message.
 */
export function watchForLoopIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const nowMs = ctx.clock.nowMs()
  const sent =
    tx
      .select({ messages: count() })
      .from(messages)
      .where(
        inOrganization(
          ctx,
          messages,
          and(
            eq(messages.contactId, contactId),
            gt(messages.timestampMs, nowMs - MINUTE_MS),
            eq(messages.source, 'chatbot'),
          ),
        ),
      )
      .get()?.messages ?? 0
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
      body:
        `It sent more than ${MAX_PER_MINUTE} messages within a minute, probably because another bot ` +
        'answers it. It answers this contact again in 10 minutes.',
      link: `/contacts/${contactId}`,
    })
}
