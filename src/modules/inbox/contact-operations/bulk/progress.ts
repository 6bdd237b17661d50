import type { JobCtx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { saveArgsIn } from '../../../../infra/jobs/save-args'
import { emit } from '../../../../infra/outbox/events'
import { advanceWorkIn } from '../../../organization/notifications/work/note'
import { ContactBatchChanged, ContactsChangedInBulk } from '../../contacts/events'
import { ChangeContacts, type BulkChange, type BulkProgress } from '../jobs'

const CONTACTS_PER_EVENT = 500

export const START: BulkProgress = { after: '', done: 0, unpublished: [], isOver: false }

/** What a step did: the contacts it changed, and where the next one begins; `null` for the last. */
export interface Step {
  changed: string[]
  next: string | null
}

/**
 * Stores what a step did and publishes contacts, 500 in an event; after the last step also one event
 * for all of them. Runs inside the step's transaction. Returns the progress after the step.
 */
export function saveStepIn(
  tx: Tx,
  ctx: JobCtx,
  change: BulkChange,
  { changed, next }: Step,
): BulkProgress {
  const { after, done, unpublished } = change.progress ?? START
  const waiting = [...unpublished, ...changed]
  const isOver = next === null
  // Nothing may stay unpublished if this run fails and there is no other.
  const isDue = waiting.length >= CONTACTS_PER_EVENT || isOver || ctx.isLastAttempt
  if (isDue) publishIn(tx, ctx, change, waiting)
  const progress: BulkProgress = {
    after: next ?? after,
    done: done + changed.length,
    unpublished: isDue ? [] : waiting,
    isOver,
  }
  advanceWorkIn(tx, ctx, ctx.jobId, {
    done: progress.done,
    state: isOver ? 'completed' : 'running',
  })
  if (isOver)
    emit(tx, ctx, ContactsChangedInBulk, {
      contactId: null,
      payload: summaryOf(ctx, change, progress.done),
    })
  // words of a search may name a person who is erased later
  const { filter: _filter, search: _search, ...others } = change
  saveArgsIn(tx, ctx, ChangeContacts, { ...(isOver ? others : change), progress })
  return progress
}

/**
 * Publishes what was changed before a job has to stop. If it is retried, it continues from there. Runs
 * inside the caller's transaction.
 */
export function stopIn(tx: Tx, ctx: JobCtx, change: BulkChange): void {
  const { unpublished, ...progress } = change.progress ?? START
  publishIn(tx, ctx, change, unpublished)
  saveArgsIn(tx, ctx, ChangeContacts, { ...change, progress: { ...progress, unpublished: [] } })
}

function publishIn(tx: Tx, ctx: JobCtx, change: BulkChange, contactIds: string[]): void {
  for (let from = 0; from < contactIds.length; from += CONTACTS_PER_EVENT) {
    const some = contactIds.slice(from, from + CONTACTS_PER_EVENT)
    emit(tx, ctx, ContactBatchChanged, {
      contactId: null,
      payload: { ...summaryOf(ctx, change, some.length), contactIds: some },
    })
  }
}

function summaryOf(ctx: JobCtx, { action }: BulkChange, count: number) {
  const isDeletion = action === 'delete'
  return {
    reason: isDeletion ? ('bulk_delete' as const) : ('bulk_update' as const),
    jobId: ctx.jobId,
    created: 0,
    updated: isDeletion ? 0 : count,
    deleted: isDeletion ? count : 0,
  }
}
