import { eq, ne, sql, type SQL } from 'drizzle-orm'
import { RateLimitedError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { messages } from '../table'

/** Maximum number of unsent messages per contact and per organization. */
const MAX_WAITING = { contact: 1_000, organization: 100_000 } as const

/**
 * Messages that are not sent yet. Written without bound values so that SQLite uses the partial
 * indexes.
 */
const UNSETTLED = sql`${messages.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`

/**
 * Rejects a message if too many are waiting for the contact or the organization. Campaign messages
 * do not count. Throws RateLimitedError `queue_full`.
 */
export function requireQueueSpace(ctx: Ctx, contactId: string): void {
  const exceeds = (limit: number, ...conditions: (SQL | undefined)[]): boolean =>
    ctx.db.orm
      .select({ id: messages.id })
      .from(messages)
      .where(inOrganization(ctx, messages, UNSETTLED, ...conditions))
      .limit(1)
      .offset(limit - 1)
      .get() !== undefined
  const isFull = (limit: number, condition?: SQL): boolean =>
    // The first condition is answered from the index alone.
    exceeds(limit, condition) && exceeds(limit, condition, ne(messages.source, 'campaign'))
  if (
    isFull(MAX_WAITING.contact, eq(messages.contactId, contactId)) ||
    isFull(MAX_WAITING.organization)
  )
    throw new RateLimitedError(
      'The send queue of this contact or organization is full. Try again in 30 seconds.',
      30,
      { code: 'queue_full' },
    )
}
