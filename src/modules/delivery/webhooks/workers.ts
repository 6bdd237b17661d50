import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { unblockNextIn } from '../../../infra/jobs/waiting-jobs'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { endPartIn } from '../../data/privacy/erasure-steps'
import { countErasedIn } from '../../data/privacy/requests'
import { deliver } from './delivery/deliver'
import { endOpenDeliveriesIn } from './delivery/end-open'
import { releaseAtOutageIn } from './delivery/health'
import { endDiscardedIn } from './delivery/record'
import { replayBatch } from './replays/start'
import { endStoppedReplayIn } from './replays/stop'
import { erasePayloadsIn, moveDeliveriesIn } from './erase'
import {
  DeliverWebhook,
  EndDeliveries,
  EndReplay,
  EraseWebhookPayloads,
  MoveDeliveries,
  PassDelivery,
  PruneWebhooks,
  ReleaseDeliveries,
  ReplayWebhooks,
  SweepWebhooks,
} from './jobs'
import { pruneWebhooks } from './prune'
import { dropExpiredSecrets, sweepWebhooks } from './sweep'

export const webhookWorkers = [
  work(DeliverWebhook, deliver, {
    timeoutMs: 30_000,
    isResultInRows: true,
    isKept: false,
    whenDiscarded: (tx, ctx, { deliveryId }, reason) => endDiscardedIn(tx, ctx, deliveryId, reason),
  }),

  workInTransaction(PassDelivery, (tx, _ctx, line) => unblockNextIn(tx, line), { isKept: false }),

  workInTransaction(EndDeliveries, endOpenDeliveriesIn, { isKept: false }),

  workInTransaction(ReleaseDeliveries, releaseAtOutageIn, { isKept: false }),

  work(ReplayWebhooks, replayBatch, { isKept: false }),

  workInTransaction(EndReplay, endStoppedReplayIn, { isKept: false }),

  work(SweepWebhooks, async (ctx) => {
    dropExpiredSecrets(ctx)
    await sweepWebhooks(ctx)
  }),

  work(PruneWebhooks, pruneWebhooks),

  workInTransaction(
    EraseWebhookPayloads,
    (tx, ctx, { contactId, reason, requestId, ...rest }) => {
      const erased = reason === 'erased' ? erasePayloadsIn(tx, ctx, contactId) : 0
      const counts = { webhook_payloads: erased }
      if (erased > 0) {
        if (requestId !== undefined) countErasedIn(tx, ctx, requestId, counts)
        const args = {
          contactId,
          reason,
          ...rest,
          ...(requestId === undefined ? {} : { requestId }),
        }
        enqueue(tx, ctx, EraseWebhookPayloads, { args })
      } else if (requestId !== undefined) endPartIn(tx, ctx, requestId, counts)
    },
    { isKept: false },
  ),

  workInTransaction(
    MoveDeliveries,
    (tx, ctx, { contactId }) => moveDeliveriesIn(tx, ctx, contactId),
    { isKept: false },
  ),
]

export const webhookSchedules = [
  defineSchedule(MINUTE_MS, SweepWebhooks),
  defineSchedule(DAY_MS, PruneWebhooks),
]
