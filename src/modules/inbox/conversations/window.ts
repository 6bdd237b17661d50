import { and, eq, max, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { changeContactIn } from '../contacts/service'
import { windowEndMs, type WindowFacts } from '../contacts/view'
import { messages } from '../messages/table'
import { changeConversationIn } from './update'
import { findConversationById, messagesOf } from './row'
import { conversations } from './table'

/** The platform's error code for a message outside the 24-hour window. */
export const WINDOW_CODE = 131_047

/**
 * Reports whether any message may be sent to the customer at `nowMs` (platform documentation:
 * 24-hour customer service window). Without a conversation the window is closed.
 */
export function isWindowOpen(conversation: WindowFacts | null, nowMs: number): boolean {
  const endMs = conversation && windowEndMs(conversation)
  return endMs !== null && nowMs < endMs
}

const inWords = (seconds: number): string => {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} hours`
    : `${Math.floor(seconds / 86_400)} days`
}

/**
 * Rejects a message other than a template outside the window. Throws InvalidError `window_closed`
 * with the time at which it closed.
 */
export function requireOpenWindow(conversation: WindowFacts | null, nowMs: number): void {
  if (isWindowOpen(conversation, nowMs)) return
  const endMs = conversation && windowEndMs(conversation)
  const closedForS = endMs === null ? null : Math.floor((nowMs - endMs) / 1_000)
  const since =
    closedForS === null
      ? 'This contact has never written to this number'
      : `The 24-hour window closed ${inWords(closedForS)} ago`
  throw new InvalidError(`${since}. Send a template instead.`, {
    code: 'window_closed',
    details: {
      window_expires_at: endMs === null ? null : isoTime(endMs),
      closed_for_seconds: closedForS,
    },
  })
}

/**
 * Recomputes when the platform last reported a conversation's window as closed: the time of the
 * newest message that failed for this reason. Derived from the rows, so the order of the statuses
 * does not matter. Runs inside the caller's transaction.
 */
export function updateClosedWindowIn(tx: Tx, ctx: Ctx, conversationId: string): void {
  const before = findConversationById(ctx, conversationId)
  if (!before) return
  const failed = sql`json_extract(${messages.error}, '$.platform_code') = ${WINDOW_CODE}`
  const closed = tx
    .select({ atMs: max(messages.timestampMs) })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(messagesOf(before), eq(messages.direction, 'outgoing'), failed),
      ),
    )
    .get()
  const windowClosedAtMs = closed?.atMs ?? null
  if (before.windowClosedAtMs === windowClosedAtMs) return
  changeConversationIn(tx, ctx, before, { windowClosedAtMs })
  changeContactIn(tx, ctx, before.contactId, {
    windowClosedAtMs: newestClosing(tx, ctx, before.contactId),
  })
}

/** Returns when the platform last reported a closed window of a contact, or `null`. */
const newestClosing = (tx: Tx, ctx: Ctx, contactId: string): number | null =>
  tx
    .select({ atMs: max(conversations.windowClosedAtMs) })
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .get()?.atMs ?? null
