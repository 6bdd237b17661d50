import { and, asc, count, eq, inArray, lt, max, min, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { longPage, readCursor, type LongPage } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { liveJobsOf } from '../../../../infra/jobs/live-jobs'
import { afterKey } from '../../../../infra/keyset-pagination'
import { isFiltered, totalOf } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { liveAccounts } from '../../../channel/accounts/queries'
import { throughputLimit, type AccountRow } from '../../../channel/accounts/view'
import { visibleTo } from '../../contacts/sight/visibility'
import { blockReasonOf } from '../outbound/send-gate'
import { sendKey } from '../rules'
import { SendMessage } from '../jobs'
import { isPending } from '../outbound/delivery-state'
import { messages, sendAttempts } from '../table'
import type { MessageRow } from '../view'
import type { OUTBOX_STAGES, OutboxItem, OutboxStats } from './model'

type Stage = (typeof OUTBOX_STAGES)[number]

/** Filters of the send queue. */
export interface OutboxQuery {
  page: number
  limit: number
  cursor?: string | undefined
  accountId?: string | undefined
  stage?: Stage | undefined
  contactId?: string | undefined
  olderThanMs?: number | undefined
}

/** Blocked phone numbers with their reason; their queued messages count as held. */
function heldNumbers(ctx: ReadCtx): Map<string, string> {
  const nowMs = ctx.clock.nowMs()
  return new Map(
    liveAccounts(ctx).flatMap((account) => {
      const hold = blockReasonOf(account, nowMs)
      return hold ? [[account.id, hold.reason]] : []
    }),
  )
}

/** Returns unsent and unresolved messages of visible contacts, oldest first. */
export function listOutbox(ctx: ReadCtx, query: OutboxQuery): LongPage<OutboxItem> {
  const held = heldNumbers(ctx)
  const filter = inOrganization(
    ctx,
    messages,
    isPending,
    query.accountId === undefined ? undefined : eq(messages.accountId, query.accountId),
    query.contactId === undefined ? undefined : eq(messages.contactId, query.contactId),
    query.olderThanMs === undefined ? undefined : lt(messages.createdAtMs, query.olderThanMs),
    query.stage === undefined ? undefined : inStage(query.stage, [...held.keys()]),
    visibleTo(ctx, messages.contactId),
  )
  const place =
    query.cursor === undefined
      ? undefined
      : afterKey({ value: messages.createdAtMs, id: messages.id }, readCursor(query.cursor), 'asc')
  const rows = ctx.db.orm
    .select()
    .from(messages)
    .where(and(filter, place))
    .orderBy(asc(messages.createdAtMs), asc(messages.id))
    .limit(query.limit + 1)
    .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
    .all()
  return longPage(rows, query, {
    view: (shown) => outboxItems(ctx, shown, held),
    cursorKeyOf: (row) => ({ value: row.createdAtMs, id: row.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(messages)
          .where(filter),
        {
          isFiltered: isFiltered([
            query.accountId,
            query.contactId,
            query.olderThanMs,
            query.stage,
          ]),
        },
      ),
  })
}

/**
 * Condition for a delivery state as people see it: queued messages of a blocked phone number are
 * held.
 */
function inStage(stage: Stage, heldIds: string[]): SQL | undefined {
  const isBehind = heldIds.length === 0 ? sql`false` : inArray(messages.accountId, heldIds)
  if (stage === 'held')
    return sql`(${messages.stage} = 'held' or (${messages.stage} = 'queued' and ${isBehind}))`
  if (stage === 'queued') return sql`(${messages.stage} = 'queued' and not ${isBehind})`
  return eq(messages.stage, stage)
}

function outboxItems(ctx: ReadCtx, rows: MessageRow[], held: Map<string, string>): OutboxItem[] {
  const attempts = attemptsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const jobs = liveJobsOf(ctx, {
    kind: SendMessage.name,
    orderingKeys: [...new Set(rows.map(({ contactId }) => sendKey(contactId)))],
    args: rows.map(({ id }) => ({ messageId: id })),
  })
  return rows.map((row) => {
    const job = jobs.get(JSON.stringify({ messageId: row.id }))
    const isHeld = row.stage === 'held' || (row.stage === 'queued' && held.has(row.accountId))
    const isTimed = job?.state === 'scheduled' || job?.state === 'retryable'
    return {
      message_id: row.id,
      account_id: row.accountId,
      contact_id: row.contactId,
      type: row.type,
      stage: isHeld ? 'held' : (row.stage ?? 'queued'),
      attempts: attempts.get(row.id) ?? 0,
      next_at: isTimed ? isoTimeOrNull(job.scheduledAtMs) : null,
      held_reason: row.heldReason ?? (isHeld ? (held.get(row.accountId) ?? null) : null),
      last_error: job?.lastError ?? null,
      created_at: isoTime(row.createdAtMs),
    }
  })
}

function attemptsOf(ctx: ReadCtx, ids: string[]): Map<string, number> {
  if (ids.length === 0) return new Map()
  const rows = ctx.db.orm
    .select({ id: sendAttempts.messageId, attempts: max(sendAttempts.attempt) })
    .from(sendAttempts)
    .where(inOrganization(ctx, sendAttempts, inArray(sendAttempts.messageId, ids)))
    .groupBy(sendAttempts.messageId)
    .all()
  return new Map(rows.map(({ id, attempts }) => [id, attempts ?? 0]))
}

/** Unsent messages of a number in one stage. */
interface QueuedMessages {
  accountId: string
  stage: MessageRow['stage']
  rows: number
  oldestMs: number | null
}

/** Counts the unsent messages of visible contacts by number and stage. */
export const countQueued = (ctx: ReadCtx): QueuedMessages[] =>
  ctx.db.orm
    .select({
      accountId: messages.accountId,
      stage: messages.stage,
      rows: count(),
      oldestMs: min(messages.createdAtMs),
    })
    .from(messages)
    .where(inOrganization(ctx, messages, isPending, visibleTo(ctx, messages.contactId)))
    .groupBy(messages.accountId, messages.stage)
    .all()

/** Returns the send queue of each phone number, its rate and the age of its oldest message. */
export function outboxStats(ctx: Ctx, queued: readonly QueuedMessages[]): OutboxStats[] {
  const byAccount = Map.groupBy(queued, ({ accountId }) => accountId)
  return liveAccounts(ctx).map((account) => statsOf(ctx, account, byAccount.get(account.id) ?? []))
}

function statsOf(ctx: Ctx, account: AccountRow, rows: readonly QueuedMessages[]): OutboxStats {
  const nowMs = ctx.clock.nowMs()
  const countOf = (...stages: Stage[]): number =>
    rows.reduce(
      (sum, row) => (stages.some((stage) => stage === row.stage) ? sum + row.rows : sum),
      0,
    )
  const heldReason = blockReasonOf(account, nowMs)?.reason ?? null
  const paused = heldReason !== null
  const queued = countOf('queued', 'uploading', 'sending')
  const oldest = rows.map(({ oldestMs }) => oldestMs).filter((atMs) => atMs !== null)
  return {
    account_id: account.id,
    paused,
    held_reason: heldReason,
    queued: paused ? 0 : queued,
    held: countOf('held') + (paused ? queued : 0),
    retry_wait: countOf('retry_wait'),
    ambiguous: countOf('ambiguous'),
    rate_now: Math.round(ctx.rateLimiter.speed(account, nowMs) * 100) / 100,
    rate_limit: throughputLimit(account),
    oldest_age_ms: oldest.length === 0 ? null : nowMs - Math.min(...oldest),
  }
}
