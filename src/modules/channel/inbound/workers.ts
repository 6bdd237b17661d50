import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { endPartIn } from '../../data/privacy/erasure-steps'
import { countErasedIn } from '../../data/privacy/requests'
import { adoptForAccountIn } from './adopt-account'
import { passFailedOnIn } from './cells/pass-failed-on'
import { reportLostIn, sendToCell } from './cells/send'
import { enqueueReplayIn } from './enqueue-replay'
import {
  AssignUnrouted,
  ErasePersonInJournal,
  PassFailedOn,
  PassOn,
  PROCESS_JOBS,
  ReplayChanges,
  StoreBatchPart,
  type InboundQueue,
} from './jobs'
import { erasePersonIn } from './journal/erase'
import { storePartIn } from './journal/store-part'
import { giveUpChangeIn, runChangeIn } from './process/run-change'
import { reopenIn } from './select'

/** The journal keeps the result, so the finished job is not kept. */
const processWorker = (queue: InboundQueue) =>
  workInTransaction(PROCESS_JOBS[queue], (tx, ctx, at) => runChangeIn(tx, ctx, queue, at), {
    isKept: false,
    whenDiscarded: (tx, ctx, at, reason) => giveUpChangeIn(tx, ctx, queue, { ...at, reason }),
  })

export const inboundWorkers = [
  processWorker('inbound'),
  processWorker('inbound-status'),
  processWorker('inbound-account'),

  workInTransaction(
    StoreBatchPart,
    (tx, ctx, at) => {
      if (storePartIn(tx, ctx, at))
        enqueue(tx, ctx, StoreBatchPart, { args: { ...at, part: at.part + 1 } })
    },
    { isKept: false },
  ),

  work(PassOn, sendToCell, { isKept: false, whenDiscarded: reportLostIn }),

  workInTransaction(PassFailedOn, passFailedOnIn, { isKept: false }),

  workInTransaction(AssignUnrouted, (tx, ctx, args) => {
    const left = args.isConnected ? adoptForAccountIn(tx, ctx, args) : null
    if (left) enqueue(tx, ctx, AssignUnrouted, { args: { ...args, ...left } })
  }),

  workInTransaction(ReplayChanges, (tx, ctx, { request, after }) => {
    const { reopened, next } = reopenIn(tx, ctx, request, after ?? '')
    for (const event of reopened) enqueueReplayIn(tx, ctx, event)
    if (next !== null) enqueue(tx, ctx, ReplayChanges, { args: { request, after: next } })
  }),

  workInTransaction(
    ErasePersonInJournal,
    (tx, ctx, at) => {
      const { next, erased } = erasePersonIn(tx, ctx, at)
      if (!next)
        return at.requestId === undefined
          ? undefined
          : endPartIn(tx, ctx, at.requestId, { deliveries: erased })
      if (at.requestId !== undefined) countErasedIn(tx, ctx, at.requestId, { deliveries: erased })
      enqueue(tx, ctx, ErasePersonInJournal, {
        args: { ...at, after: next },
        orderingKey: ErasePersonInJournal.name,
      })
      return undefined
    },
    { isKept: false },
  ),
]
