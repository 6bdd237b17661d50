import { Type } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { INSTALLATION, systemCtx, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import {
  defineTransactionJob,
  type JobCtx,
  type Lane,
  type TransactionJob,
} from '../../infra/jobs/define'
import { wakeSleepingJobs, enqueue } from '../../infra/jobs/enqueue'
import { jobs } from '../../infra/jobs/table'
import { AccountChanged } from '../accounts/events'
import { findAccount } from '../accounts/queries'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn, isErasing } from '../privacy/requests'
import { ContactErased } from '../contacts/events'
import { forgetPersonIn, type Forgetting } from './journal/erase'
import { ReplayRequest } from './model'
import { offerBackfillIn } from './backfill'
import { adoptOfBusinessIn, adoptUnroutedIn } from './assign-unrouted'
import { failChangeIn, processChangeIn } from './process/process-change'
import { laneOf, reopenIn, type Reopened } from './select'

type InboundLane = Extract<Lane, `inbound${string}`>

const Args = Type.Object({
  eventId: Type.String(),
  from: Type.Integer({ minimum: 0 }),
  /** Whether it is worked off once more. */
  isReplay: Type.Optional(Type.Boolean()),
})

/**
 * A change waits at most so long for the end of an earlier one about the same people, milliseconds;
 * then it goes on without it.
 */
const PATIENCE_MS = MINUTE_MS

/**
 * While somebody is erased, what is worked off once more looks so often whether that is over,
 * milliseconds: there may be very many of them.
 */
const AFTER_ERASURE_MS = 5 * SECOND_MS

const FORGET = 'inbound.forget-person'

/**
 * Works off one journaled change, a part at a time; the journal keeps the outcome, so the finished
 * job is not kept.
 */
const processJob = (name: string, lane: InboundLane) =>
  defineTransactionJob({
    name,
    lane,
    args: Args,
    isKept: false,
    run(tx, ctx, { eventId, from, isReplay = false }) {
      // What comes in now does not wait for what came in before.
      const priority = isReplay ? 'low' : 'normal'
      // What is worked off once more must not bring back who is being erased.
      if (isReplay && isErasing(ctx)) return { snoozeMs: AFTER_ERASURE_MS }
      // Never longer, also where the first try was at a time that is yet to come because the clock
      // was put back.
      const patientForMs = (): number =>
        Math.min(PATIENCE_MS, firstTriedMs(ctx) + PATIENCE_MS - ctx.clock.nowMs())
      const { next, mustWait, shared } = processChangeIn(tx, ctx, {
        eventId,
        from,
        isReplay,
        mayWait: () => patientForMs() > 0,
      })
      for (const other of shared)
        enqueue(tx, systemCtx(ctx, other.organizationId), processJobs[lane], {
          args: { eventId: other.eventId, from: 0, isReplay },
          priority,
        })
      // It stands aside: tried again and again, those that wait would take the turns of the one
      // they wait for.
      if (mustWait) return { snoozeMs: patientForMs() }
      if (next !== null)
        enqueue(tx, ctx, processJobs[lane], { args: { eventId, from: next, isReplay }, priority })
      else if (from > 0) wakeWaitingIn(tx, ctx, name)
      return undefined
    },
    whenDiscarded(tx, ctx, { eventId, from }, reason) {
      failChangeIn(tx, ctx, eventId, reason)
      if (from > 0) wakeWaitingIn(tx, ctx, name)
    },
  })

/** Takes what deliveries say of an erased person out of the journal, some changes at a time. */
export const forgetInJournal: TransactionJob<Forgetting> = defineTransactionJob({
  name: FORGET,
  lane: 'default',
  args: Type.Composite([
    ContactErased.payload,
    Type.Object({
      after: Type.Optional(
        Type.Union([
          Type.Object({
            receivedAtMs: Type.Integer(),
            id: Type.String(),
            isOfNobody: Type.Optional(Type.Boolean()),
          }),
          Type.Undefined(),
        ]),
      ),
    }),
  ]),
  isKept: false,
  run(tx, ctx, at) {
    const { next, forgotten } = forgetPersonIn(tx, ctx, at)
    if (!next)
      return at.requestId === undefined
        ? undefined
        : endPartIn(tx, ctx, at.requestId, { deliveries: forgotten })
    if (at.requestId !== undefined) countErasedIn(tx, ctx, at.requestId, { deliveries: forgotten })
    enqueue(tx, ctx, forgetInJournal, { args: { ...at, after: next }, serialKey: FORGET })
    return undefined
  },
})

/**
 * Has the changes that wait for one of several parts look again, in the transaction in which such a
 * one ended.
 */
const wakeWaitingIn = (tx: Tx, ctx: JobCtx, kind: string): void =>
  wakeSleepingJobs(tx, ctx, { kind, longestMs: PATIENCE_MS })

/** When a job was tried for the first time, epoch milliseconds. */
const firstTriedMs = (ctx: JobCtx): number =>
  ctx.db.orm
    .select({ atMs: jobs.firstAttemptedAtMs })
    .from(jobs)
    .where(eq(jobs.id, ctx.jobId))
    .get()?.atMs ?? ctx.clock.nowMs()

/** The job that works a change off, by the lane it belongs to. */
export const processJobs: Record<InboundLane, ReturnType<typeof processJob>> = {
  inbound: processJob('inbound.process', 'inbound'),
  'inbound-status': processJob('inbound.process-status', 'inbound-status'),
  'inbound-account': processJob('inbound.process-account', 'inbound-account'),
}

/**
 * Processes the changes of the day before a number was connected, and those of its business account
 * from before the link was proven, without anybody asking.
 */
export const adoptUnrouted = defineTransactionJob({
  name: 'inbound.adopt-unrouted',
  lane: 'default',
  args: AccountChanged.payload,
  isKept: false,
  run(tx, ctx, args) {
    const account = args.isConnected ? findAccount(ctx, args.accountId) : null
    if (!account || account.deletedAtMs !== null) return
    const adopted = adoptUnroutedIn(tx, ctx, account.phoneId, ctx.clock.nowMs() - DAY_MS)
    for (const event of adopted)
      enqueueReplay(tx, ctx, { ...event, organizationId: ctx.organizationId })
    if (adopted.length > 0) return void enqueue(tx, ctx, adoptUnrouted, { args })
    if (account.businessLink === 'proven')
      for (const event of adoptOfBusinessIn(tx, account.businessId, ctx.clock.nowMs() - DAY_MS))
        enqueueReplay(tx, ctx, event)
    offerBackfillIn(tx, ctx, account)
  },
})

/**
 * Puts a change back to work, in the turn of the organization it belonged to and on the lane of its
 * kind.
 */
export function enqueueReplay(tx: Tx, ctx: Ctx, event: Reopened): void {
  const lane = laneOf(event)
  enqueue(tx, systemCtx(ctx, event.organizationId ?? INSTALLATION), processJobs[lane], {
    args: { eventId: event.id, from: 0, isReplay: true },
    priority: 'low',
  })
}

/** Puts the changes a super admin chose back to work, some at a time, until none is left. */
export const replayMany = defineTransactionJob({
  name: 'inbound.replay',
  lane: 'default',
  args: Type.Object({ request: ReplayRequest, after: Type.Union([Type.String(), Type.Null()]) }),
  run(tx, ctx, { request, after }) {
    const { reopened, next } = reopenIn(tx, ctx, request, after ?? '')
    for (const event of reopened) enqueueReplay(tx, ctx, event)
    if (next !== null) enqueue(tx, ctx, replayMany, { args: { request, after: next } })
  },
})
