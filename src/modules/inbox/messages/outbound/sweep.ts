import { and, eq, lt, min } from 'drizzle-orm'

import { HOUR_MS, MINUTE_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import { transact, type Tx } from '../../../../infra/db/transact'
import { endWaitingJobs, hasLiveJob, isUnderWay } from '../../../../infra/jobs/waiting-jobs'
import { accounts } from '../../../channel/accounts/table'
import { findAccount } from '../../../channel/accounts/queries'
import { worksHere } from '../../../../infra/working-organizations'
import { organizations } from '../../../organization/organizations/table'
import { endAttempt, lastCallAt } from './attempts'
import { repeatWaitMs } from './outcome-wait'
import { repeatMessageIn } from './repeat'
import { enqueueSendIn, sendJobOf } from './queue'
import { expiryOf } from './recheck'
import {
  becomeUnknownIn,
  failWaitingIn,
  isPending,
  ownFailure,
  PENDING_STATES,
} from './delivery-state'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { yieldToEventLoop } from '../../../../infra/event-loop'

/** Messages looked at in one transaction. */
const BATCH = 200

/** A message older than this without a job has lost it. */
const LOST_JOB_AGE_MS = 5 * MINUTE_MS

/** Age from which the oldest waiting message is logged. */
const REPORT_AGE_MS = 10 * MINUTE_MS

const oldestInStage = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.accountId, place(messages.accountId, 'accountId')),
          eq(messages.stage, place(messages.stage, 'stage')),
          isPending,
          lt(messages.createdAtMs, place(messages.createdAtMs, 'beforeMs')),
        ),
      ),
    )
    .orderBy(messages.createdAtMs)
    .limit(atMost(BATCH))
    .prepare(),
)

/** Messages of a phone number in one delivery state, created before a time, oldest first. */
const oldest = (
  { db, organizationId }: Ctx,
  at: { accountId: string; stage: NonNullable<MessageRow['stage']>; beforeMs: number },
): MessageRow[] => oldestInStage(db).all({ organizationId, ...at })

/**
 * Fails a batch of unsent messages of a deleted phone number. Returns whether there may be more.
 */
export function failForDeletedAccountIn(tx: Tx, ctx: Ctx, accountId: string): boolean {
  const account = findAccount(ctx, accountId)
  if (account && account.deletedAtMs === null) return false
  const error = ownFailure(
    'account_deleted',
    'The phone number was disconnected before the message was sent.',
  )
  for (const stage of PENDING_STATES) {
    const rows = oldest(ctx, { accountId, stage, beforeMs: ctx.clock.nowMs() + 1 })
    for (const row of rows) failWaitingIn(tx, ctx, row, error)
    if (rows.length > 0) return true
  }
  return false
}

/**
 * Fails expired messages, resolves interrupted calls as `unknown`, requeues messages without a job
 * and logs the age of the oldest.
 */
export async function sweepMessages(ctx: Ctx): Promise<void> {
  const working = ctx.db.orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(worksHere(organizations.id))
    .all()
  for (const { id } of working) {
    const scope = systemCtx(ctx, id)
    const ids = scope.db.orm
      .select({ id: accounts.id })
      .from(accounts)
      .where(inOrganization(scope, accounts))
      .all()
    for (const account of ids) await sweepNumber(scope, account.id)
    reportOldest(scope)
    await yieldToEventLoop()
  }
}

async function sweepNumber(ctx: Ctx, accountId: string): Promise<void> {
  while (expire(ctx, accountId) === BATCH) await yieldToEventLoop()
  while (expireUncertain(ctx, accountId) === BATCH) await yieldToEventLoop()
  const beforeMs = ctx.clock.nowMs() - LOST_JOB_AGE_MS
  for (const stage of [...PENDING_STATES, 'sending', 'ambiguous'] as const) {
    const orphaned = oldest(ctx, { accountId, stage, beforeMs }).filter(
      (row) => !hasLiveJob(ctx, sendJobOf(row)),
    )
    for (const row of orphaned) {
      ctx.log.error(
        { message_id: row.id, organization_id: ctx.organizationId, stage },
        're-enqueued a message without a job',
      )
      transact(ctx.db, (tx) => enqueueSendIn(tx, ctx, row))
    }
  }
}

/** Fails a batch of expired messages. Returns their number. */
function expire(ctx: Ctx, accountId: string): number {
  const account = findAccount(ctx, accountId)
  if (!account) return 0
  const beforeMs = ctx.clock.nowMs() - ctx.settings.sendExpiryHours * HOUR_MS + 1
  const expired = PENDING_STATES.flatMap((stage) =>
    oldest(ctx, { accountId, stage, beforeMs }),
  ).slice(0, BATCH)
  if (expired.length > 0)
    transact(ctx.db, (tx) => {
      for (const row of expired) failWaitingIn(tx, ctx, row, expiryOf(account))
    })
  return expired.length
}

/**
 * Marks a batch of interrupted calls as `unknown` and returns their number. Their jobs do the same
 * unless they are behind a closed gate.
 */
function expireUncertain(ctx: Ctx, accountId: string): number {
  const beforeMs = ctx.clock.nowMs() - ctx.settings.sendUnknownMinutes * MINUTE_MS
  const waiting = (['sending', 'ambiguous'] as const).flatMap((stage) =>
    oldest(ctx, { accountId, stage, beforeMs: beforeMs + 1 }),
  )
  return transact(ctx.db, (tx) => {
    const uncertain = waiting.filter(
      (row) =>
        (lastCallAt(tx, ctx, row.id) ?? row.createdAtMs) <= beforeMs &&
        (row.repeatAtMs === null || repeatWaitMs(ctx, row.repeatAtMs) === 0) &&
        !isUnderWay(ctx, sendJobOf(row)),
    )
    for (const row of uncertain.slice(0, BATCH)) {
      if (row.stage === 'sending') endAttempt(tx, ctx, row.id, { outcome: 'ambiguous' })
      if (row.repeatAtMs !== null && repeatMessageIn(tx, ctx, row) !== null) continue
      becomeUnknownIn(tx, ctx, row)
      endWaitingJobs(tx, ctx, sendJobOf(row), { state: 'cancelled', reason: 'outcome_unknown' })
    }
    return Math.min(uncertain.length, BATCH)
  })
}

const oldestWaiting = compiled((orm) =>
  orm
    .select({ atMs: min(messages.createdAtMs) })
    .from(messages)
    .where(inOrganization(anyScope, messages, isPending))
    .prepare(),
)

function reportOldest(ctx: Ctx): void {
  const row = oldestWaiting(ctx.db).get({ organizationId: ctx.organizationId })
  const ageMs = row?.atMs == null ? 0 : ctx.clock.nowMs() - row.atMs
  if (ageMs >= REPORT_AGE_MS)
    ctx.log.info(
      { organization_id: ctx.organizationId, oldest_age_ms: ageMs },
      'messages are waiting to be sent',
    )
}
