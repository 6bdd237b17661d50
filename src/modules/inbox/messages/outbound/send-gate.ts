import { and, eq, inArray, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Deps } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Db } from '../../../../infra/db/connection'
import type { Gate, GateState } from '../../../../infra/jobs/work'
import { countAvailable } from '../../../../infra/jobs/queue-state'
import { jobs } from '../../../../infra/jobs/table'
import { findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { campaigns } from '../../../outreach/campaigns/table'
import { gateKeyOf, parseGateKey, type SendGateKey } from './gate-keys'
import { PENDING_STATES } from './delivery-state'
import { messages } from '../table'

/**
 * Why the messages of a phone number are blocked, and until when if known, in epoch milliseconds.
 */
export interface BlockReason {
  reason: 'pending' | 'disconnected' | 'suspended' | 'no_token' | 'paused' | 'paused_by_person'
  untilMs: number | null
}

/**
 * Returns why a phone number cannot send, or `null`. A deleted number is not blocked: its messages
 * fail.
 */
export function blockReasonOf(account: AccountRow, nowMs: number): BlockReason | null {
  if (account.deletedAtMs !== null) return null
  if (account.status !== 'active') return { reason: account.status, untilMs: null }
  if (account.accessTokenSealed === null) return { reason: 'no_token', untilMs: null }
  if (account.sendingPausedAtMs !== null) return { reason: 'paused_by_person', untilMs: null }
  if (account.pausedUntilMs !== null && account.pausedUntilMs > nowMs)
    return { reason: 'paused', untilMs: account.pausedUntilMs }
  return null
}

/** Number of messages of a deleted phone number that fail at a time. */
const MAX_FAILING = 16

const CLOSED: GateState = { room: 0, nextAtMs: null }

const campaignById = compiled((orm) =>
  orm
    .select({
      status: campaigns.status,
      rateLimit: campaigns.rateLimit,
      windowEndsAtMs: campaigns.windowEndsAtMs,
    })
    .from(campaigns)
    .where(inOrganization(anyScope, campaigns, and(eq(campaigns.id, place(campaigns.id, 'id')))))
    .prepare(),
)

/** Finds an unsent message behind a gate. */
const unsentBehindGate = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(jobs)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, jobs.organizationId),
        eq(messages.id, sql`unhex(json_extract(${jobs.args}, '$.messageId'), '-')`),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(jobs.queue, 'send'),
          eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
          eq(jobs.gateKey, place(jobs.gateKey, 'gateKey')),
          eq(jobs.state, 'available'),
          inArray(messages.stage, [...PENDING_STATES]),
        ),
      ),
    )
    .limit(1)
    .prepare(),
)

/**
 * Returns the rate of a campaign, or `null` while it is paused, complete or outside its send
 * window. Once its unsent messages are withdrawn, the gate opens for interrupted calls, which only
 * need their result.
 */
function openingOfCampaign(
  db: Db,
  organizationId: string,
  key: SendGateKey,
  nowMs: number,
): { rateLimit: number | null } | null {
  const row = campaignById(db).get({ organizationId, id: key.campaignId })
  const isOpen =
    row?.status === 'sending' && (row.windowEndsAtMs === null || row.windowEndsAtMs > nowMs)
  if (isOpen) return { rateLimit: row.rateLimit }
  return unsentBehindGate(db).get({ organizationId, gateKey: gateKeyOf(key) })
    ? null
    : { rateLimit: null }
}

/**
 * Counts waiting messages of the same phone number with higher priority: agents and the API first,
 * then bots, then campaigns.
 */
function countWithPriority(db: Db, organizationId: string, key: SendGateKey, most: number): number {
  const { accountId, rank } = key
  const first =
    rank === 'person' ? [] : rank === 'bot' ? (['person'] as const) : (['person', 'bot'] as const)
  return first.reduce(
    (sum, before) =>
      sum +
      countAvailable(db, {
        queue: 'send',
        organizationId,
        gateKey: gateKeyOf({ accountId, rank: before }),
        most,
      }),
    0,
  )
}

/**
 * Holds messages while a phone number cannot send, and otherwise releases them at its rate limit:
 * agents and the API first, then bots, then campaigns (outbound contract 4).
 */
export const sendGate: Gate = {
  queue: 'send',
  check(deps: Deps, { organizationId, gateKey }) {
    const key = parseGateKey(gateKey)
    const account = findAccount({ db: deps.db, organizationId }, key.accountId)
    if (!account || account.deletedAtMs !== null) return { room: MAX_FAILING, nextAtMs: null }
    const nowMs = deps.clock.nowMs()
    const blockReason = blockReasonOf(account, nowMs)
    if (blockReason) return { room: 0, nextAtMs: blockReason.untilMs }
    const limits =
      key.rank === 'campaign'
        ? openingOfCampaign(deps.db, organizationId, key, nowMs)
        : { rateLimit: null }
    if (!limits) return CLOSED
    const rateLimiter = deps.rateLimiter
    const opening = rateLimiter.opening(account, nowMs, { ...key, ...limits })
    if (opening.room <= 0 || key.rank === 'person') return opening
    const room = opening.room - countWithPriority(deps.db, organizationId, key, opening.room)
    return room > 0
      ? { room, nextAtMs: null }
      : { room: 0, nextAtMs: rateLimiter.nextTokenAtMs(account, nowMs) }
  },
}
