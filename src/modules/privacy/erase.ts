import { and, eq, inArray, isNotNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { eraseResponsesIn, type AnswerPlace } from '../../infra/idempotency/store'
import { timeIsOver } from '../../infra/jobs/concurrency'
import { eraseEventsIn } from '../../infra/outbox/events'
import { idsOfPerson } from '../contacts/erase'
import { eraseConversationsIn } from '../conversations/merge'
import { enqueueFileDeletionIn } from '../media/delete-files'
import { eraseMessagesIn } from '../messages/contact-changes/erase'
import { eraseNotesIn } from '../contacts/notes/contact-changes'
import { answerFinder } from './stored-responses'
import { changeRequestIn, type Counts } from './requests'
import { privacyRequests } from './table'

/**
 * One step of an erasure takes no longer than this with all that belongs to it, milliseconds; its
 * commit comes on top.
 */
const STEP_MS = 5

/** How far the erasure of what was said and written has come. */
interface Erasing {
  contactId: string
  requestId?: string
  /** Up to which event of the log it is forgotten. */
  upTo?: number
  traces?: string[]
  after?: AnswerPlace | null
}

/**
 * Erases some of what was said with a contact, written about it or kept of it, in the caller's
 * transaction: answers kept for repeated requests and archives first, for they are found by
 * messages, files and notes. Returns where to go on, `null` at the end, and how many of what went.
 */
export function eraseSomeIn(
  tx: Tx,
  ctx: Ctx,
  at: Erasing,
): { next: Erasing | null; erased: Counts } {
  const isOver = timeIsOver(STEP_MS)
  const { contactId, after, ...rest } = at
  if (after !== undefined) {
    const isMeant = answerFinder(ctx, {
      contactIds: idsOfPerson(ctx, contactId),
      traces: at.traces ?? [],
    })
    const { forgotten, next } = eraseResponsesIn(tx, ctx, { after, isMeant, isOver })
    const place = next === null ? {} : { after: next }
    return { next: { ...rest, contactId, ...place }, erased: { idempotency_answers: forgotten } }
  }
  const { isMore, erased } = eraseMessagesIn(tx, ctx, contactId, isOver)
  const gone: Counts = { ...erased }
  if (isMore) return { next: at, erased: gone }
  gone['notes'] = eraseNotesIn(tx, ctx, contactId)
  if (gone['notes'] > 0) return { next: at, erased: gone }
  gone['events'] = eraseEventsIn(tx, ctx, contactId, at.upTo ?? 0)
  if (gone['events'] > 0) return { next: at, erased: gone }
  return {
    next: null,
    erased: {
      ...gone,
      conversations: eraseConversationsIn(tx, ctx, contactId),
      ...forgetRequestsIn(tx, ctx, contactId),
    },
  }
}

/**
 * Takes the archives of a person away and the reasons of requests about it, in the caller's
 * transaction. Returns how many.
 */
function forgetRequestsIn(tx: Tx, ctx: Ctx, contactId: string): Counts {
  const ids = idsOfPerson(ctx, contactId)
  const about = inOrganization(ctx, privacyRequests, inArray(privacyRequests.contactId, ids))
  const archives = tx
    .select({ id: privacyRequests.id, storedAs: privacyRequests.storedAs })
    .from(privacyRequests)
    .where(and(about, isNotNull(privacyRequests.storedAs), eq(privacyRequests.kind, 'export')))
    .all()
  for (const { id } of archives) changeRequestIn(tx, ctx, id, { state: 'expired', storedAs: null })
  enqueueFileDeletionIn(
    tx,
    ctx,
    archives.map(({ storedAs }) => storedAs).filter((name) => name !== null),
  )
  const reasons = tx
    .update(privacyRequests)
    .set({ reason: null })
    .where(and(about, isNotNull(privacyRequests.reason)))
    .returning({ id: privacyRequests.id })
    .all()
  return { privacy_archives: archives.length, reasons: reasons.length }
}
