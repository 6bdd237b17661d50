import { eq, sql, type SQL } from 'drizzle-orm'
import { RateLimitedError } from '../../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import { messages } from '../table'

/** Maximum number of unsent messages per contact and per organization. */
const MAX_WAITING = { contact: 1_000, organization: 100_000 } as const

/**
 * Messages that are not sent yet. Written without bound values so that SQLite uses the partial
 * indexes.
 */
const UNSETTLED = sql`${messages.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`

/** A compiled query for an unsent message beyond the first `limit` ones. */
const unsettledBeyond = (limit: number, ...conditions: SQL[]) =>
  compiled((orm) =>
    orm
      .select({ id: messages.id })
      .from(messages)
      .where(inOrganization(anyScope, messages, UNSETTLED, ...conditions))
      .limit(atMost(1))
      .offset(atMost(limit - 1))
      .prepare(),
  )

const isOfContact = eq(messages.contactId, place(messages.contactId, 'contactId'))
const isNoCampaign = sql`${messages.source} <> 'campaign'`

/** The first query of each is answered from the index alone, the second one is asked if it finds one. */
const QUEUES = [
  [
    unsettledBeyond(MAX_WAITING.contact, isOfContact),
    unsettledBeyond(MAX_WAITING.contact, isOfContact, isNoCampaign),
  ],
  [
    unsettledBeyond(MAX_WAITING.organization),
    unsettledBeyond(MAX_WAITING.organization, isNoCampaign),
  ],
]

/**
 * Rejects a message if too many are waiting for the contact or the organization. Campaign messages
 * do not count. Throws RateLimitedError `queue_full`.
 */
export function requireQueueSpace(ctx: Ctx, contactId: string): void {
  const { db, organizationId } = ctx
  const isFull = QUEUES.some((queries) =>
    queries.every((beyond) => beyond(db).get({ organizationId, contactId }) !== undefined),
  )
  if (isFull)
    throw new RateLimitedError(
      'The send queue of this contact or organization is full. Try again in 30 seconds.',
      30,
      { code: 'queue_full' },
    )
}
