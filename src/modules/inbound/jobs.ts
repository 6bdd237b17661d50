import { Type } from '@sinclair/typebox'

import { DAY_MS } from '../../lib/clock'
import { INSTALLATION, systemCtx, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { defineTransactionJob, type Lane } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { AccountChanged } from '../accounts/events'
import { findAccount } from '../accounts/state'
import { ReplayRequest } from './model'
import { adoptUnroutedIn, failChangeIn, processChangeIn } from './process'
import { reopenIn } from './selection'

type InboundLane = Extract<Lane, `inbound${string}`>

const Part = Type.Object({ eventId: Type.String(), from: Type.Integer({ minimum: 0 }) })

/** Works off one journaled change, a part at a time; the journal keeps the outcome, so the finished job is not kept. */
const processJob = (name: string, lane: InboundLane) =>
  defineTransactionJob({
    name,
    lane,
    args: Part,
    isKept: false,
    run(tx, ctx, { eventId, from }) {
      const next = processChangeIn(tx, ctx, { eventId, from })
      if (next !== null) enqueue(tx, ctx, processJobs[lane], { args: { eventId, from: next } })
    },
    whenDiscarded: (tx, ctx, { eventId }, reason) => failChangeIn(tx, ctx, eventId, reason),
  })

/** The job that works a change off, by the lane it belongs to. */
export const processJobs: Record<InboundLane, ReturnType<typeof processJob>> = {
  inbound: processJob('inbound.process', 'inbound'),
  'inbound-status': processJob('inbound.process-status', 'inbound-status'),
  'inbound-account': processJob('inbound.process-account', 'inbound-account'),
}

/** Changes that came for a number in the day before it was connected are worked off after all, without anybody asking. */
export const adoptUnrouted = defineTransactionJob({
  name: 'inbound.adopt-unrouted',
  lane: 'default',
  args: AccountChanged.payload,
  isKept: false,
  run(tx, ctx, args) {
    const account = args.isConnected ? findAccount(ctx, args.accountId) : null
    if (!account || account.deletedAtMs !== null) return
    const ids = adoptUnroutedIn(tx, account.phoneId, ctx.clock.nowMs() - DAY_MS)
    for (const eventId of ids) enqueueReplay(tx, ctx, eventId, ctx.organizationId)
    if (ids.length > 0) enqueue(tx, ctx, adoptUnrouted, { args })
  },
})

/** Puts a change back to work, in the turn of the organization it belonged to. */
export function enqueueReplay(tx: Tx, ctx: Ctx, eventId: string, organizationId: string | null): void {
  enqueue(tx, systemCtx(ctx, organizationId ?? INSTALLATION), processJobs.inbound, { args: { eventId, from: 0 } })
}

/** Puts the changes a super admin chose back to work, some at a time, until none is left. */
export const replayMany = defineTransactionJob({
  name: 'inbound.replay',
  lane: 'default',
  args: Type.Object({ request: ReplayRequest, after: Type.Union([Type.String(), Type.Null()]) }),
  run(tx, ctx, { request, after }) {
    const reopened = reopenIn(tx, request, after)
    for (const { id, organizationId } of reopened) enqueueReplay(tx, ctx, id, organizationId)
    const last = reopened.at(-1)
    if (last) enqueue(tx, ctx, replayMany, { args: { request, after: last.id } })
  },
})
