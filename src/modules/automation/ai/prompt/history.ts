import { and, desc, eq, gt, lte, ne, notInArray } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { messages } from '../../../inbox/messages/table'

/** An earlier message in a prompt. */
export interface HistoryLine {
  from: 'customer' | 'business'
  text: string
}

/** Characters of one earlier message. */
const MAX_LINE = 1_000

/** Messages that nobody wrote, or that say nothing. */
const UNSPOKEN = ['system', 'unsupported', 'sticker']

/** The contact and number whose messages are read, and those of the present turn. */
interface HistoryOf {
  contactId: string
  accountId: string
  turnIds: readonly string[]
  limit: number
}

/**
 * Returns up to `limit` earlier messages of the last 24 hours, oldest first, without those of the
 * turn, deleted ones and failed ones.
 */
export function historyOf(
  ctx: Ctx,
  { contactId, accountId, turnIds, limit }: HistoryOf,
): HistoryLine[] {
  if (limit === 0) return []
  const nowMs = ctx.clock.nowMs()
  return ctx.db.orm
    .select({
      direction: messages.direction,
      content: messages.content,
      preview: messages.preview,
      revokedAtMs: messages.revokedAtMs,
    })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, contactId),
          eq(messages.accountId, accountId),
          gt(messages.timestampMs, nowMs - DAY_MS),
          lte(messages.timestampMs, nowMs),
          ne(messages.status, 'failed'),
          notInArray(messages.type, UNSPOKEN),
          turnIds.length === 0 ? undefined : notInArray(messages.id, [...turnIds]),
        ),
      ),
    )
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(limit)
    .all()
    .filter(({ revokedAtMs }) => revokedAtMs === null)
    .map(({ direction, content, preview }) => ({
      from: direction === 'incoming' ? ('customer' as const) : ('business' as const),
      text: (textIn(content) ?? preview).slice(0, MAX_LINE),
    }))
    .toReversed()
}

/** Returns the whole text of a message or its caption; `null` without one. */
function textIn(content: string): string | null {
  const { text, caption } = JSON.parse(content) as Record<string, unknown>
  if (typeof text === 'string' && text !== '') return text
  return typeof caption === 'string' && caption !== '' ? caption : null
}
