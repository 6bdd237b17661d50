import { and, eq, inArray, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Deps } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Db } from '../../../infra/db/connection'
import type { Gate, Opening } from '../../../infra/jobs/work'
import { countAvailable } from '../../../infra/jobs/enqueue'
import { jobs } from '../../../infra/jobs/table'
import { findAccount } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { campaigns } from '../../campaigns/table'
import { gateKeyOf, parseGateKey, type SendGateKey } from './gate-keys'
import { PENDING_STATES } from './delivery-state'
import { messages } from '../table'

/** Why a number's messages wait, and until when where that is known, epoch milliseconds. */
export interface BlockReason {
  reason: 'pending' | 'disconnected' | 'suspended' | 'no_token' | 'paused' | 'paused_by_person'
  untilMs: number | null
}

/**
 * Why nothing is sent from a number at the moment; `null` when it may send, and for one that was
 * deleted: its messages are to fail.
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

/** So many messages that can only fail are worked off at once. */
const MAX_FAILING = 16

const CLOSED: Opening = { room: 0, nextAtMs: null }

const campaignById = compiled((orm) =>
  orm
    .select({
      status: campaigns.status,
      rateLimit: campaigns.rateLimit,
      windowEndsAtMs: campaigns.windowEndsAtMs,
    })
    .from(campaigns)
    .where(inOrganization(anyScope, campaigns, and(eq(campaigns.id, sql.placeholder('id')))))
    .prepare(),
)

/** A message behind a gate that was not handed over yet. */
const unsentBehindGate = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(jobs)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, jobs.organizationId),
        eq(messages.id, sql`json_extract(${jobs.args}, '$.messageId')`),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(jobs.queue, 'send'),
          eq(jobs.organizationId, sql.placeholder('organizationId')),
          eq(jobs.gateKey, sql.placeholder('gateKey')),
          eq(jobs.state, 'available'),
          inArray(messages.stage, [...PENDING_STATES]),
        ),
      ),
    )
    .limit(1)
    .prepare(),
)

/**
 * How far a campaign lets its messages out: not at all while it is paused, over, or out of its
 * hours. Once what was not handed over has been taken back, what is left are calls that were cut
 * off: they are only followed up, which nothing may keep from them.
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
 * How many messages that go first wait at the same number: people's and the API's before a bot's,
 * those before a campaign's.
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
 * Keeps the messages of each number waiting while it may not send, and lets them out no faster than
 * it may: those of people first, then those of bots, then those of campaigns (outbound contract 4).
 * The key names the number and who sends.
 */
export const sendGate: Gate = {
  queue: 'send',
  look(deps: Deps, { organizationId, gateKey }) {
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
