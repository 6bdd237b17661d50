import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { eraseEventsIn } from '../../../infra/outbox/events'
import { eraseCallFilesIn } from '../../channel/calls/contact-changes'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import { findContact } from '../contacts/service'
import { eraseFilesIn } from '../messages/contact-changes/message-files'
import { isOnLegalHold } from '../../organization/organizations/retention/service'
import { eraseSomeIn } from '../../data/privacy/erase'
import { endPartIn } from '../../data/privacy/erasure-steps'
import { countErasedIn } from '../../data/privacy/requests'
import { changeInBulk } from './bulk/change'
import { ChangeContacts, EraseContact, EraseContactFiles } from './jobs'

export const contactOperationWorkers = [
  work(ChangeContacts, (ctx, change) => changeInBulk(ctx, change), {
    timeoutMs: 15 * MINUTE_MS,
    whenDiscarded: (tx, ctx) => advanceWorkIn(tx, ctx, ctx.jobId, { state: 'failed' }),
  }),

  workInTransaction(
    EraseContactFiles,
    (tx, ctx, { contactId, after, upTo = 0 }) => {
      if (findContact(ctx, contactId)?.deletedAtMs === null) return undefined
      if (isOnLegalHold(ctx)) return { snoozeMs: DAY_MS }
      const isMoreTold = eraseEventsIn(tx, ctx, contactId, upTo) > 0
      const next = isMoreTold ? after : eraseFilesIn(tx, ctx, { contactId, after })
      const isMoreCalled = next === null && eraseCallFilesIn(tx, ctx, contactId)
      if (next !== null || isMoreCalled)
        enqueue(tx, ctx, EraseContactFiles, { args: { contactId, after: next ?? after, upTo } })
      return undefined
    },
    { isKept: false },
  ),

  workInTransaction(EraseContact, (tx, ctx, args) => {
    const { next, erased } = eraseSomeIn(tx, ctx, args)
    if (next) {
      if (args.requestId !== undefined) countErasedIn(tx, ctx, args.requestId, erased)
      enqueue(tx, ctx, EraseContact, { args: next })
    } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId, erased)
  }),
]
