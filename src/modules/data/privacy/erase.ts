import { inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import { eraseResponsesIn, type ResponsePosition } from '../../../infra/idempotency/erase'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { eraseEventsIn } from '../../../infra/outbox/events'
import { eraseBotDataIn } from '../../automation/chatbot/engine/contact-changes'
import { eraseUsageIn } from '../../automation/ai/contact-changes'
import { eraseQuestionsIn } from '../../automation/ai/questions/contact-changes'
import { eraseCallsIn } from '../../channel/calls/contact-changes'
import { idsOfPerson } from '../../inbox/contacts/erase/erase'
import { eraseConversationsIn } from '../../inbox/conversations/merge'
import { eraseTimelineIn } from '../../inbox/conversations/timeline/contact-changes'
import { eraseThreadFactsIn } from '../../inbox/conversations/thread-facts'
import { enqueueFileDeletionIn } from '../../channel/media/delete-files'
import { eraseMessagesIn } from '../../inbox/messages/contact-changes/erase'
import { eraseNotesIn } from '../../inbox/contacts/notes/contact-changes'
import { eraseScheduledIn } from '../../inbox/scheduled-messages/contact-changes'
import { eraseTransfersIn } from '../../automation/transfers/contact-changes'
import { answerFinder } from './stored-responses'
import { changeRequestIn, type PrivacyCounts } from './requests'
import { privacyRequests } from './table'

/** Time budget of one erasure step without its commit, milliseconds. */
const STEP_MS = 5

/** Progress in erasing a contact's conversations and notes. */
interface Erasing {
  contactId: string
  requestId?: string
  /** Events up to this sequence number are deleted from the event log. */
  upTo?: number
  traces?: string[]
  goneIds?: string[]
  after?: ResponsePosition | null
}

/**
 * Erases a batch of a contact's messages, files, notes and stored responses. Stored responses and
 * archives come first because they are found through the other rows. Runs inside the caller's
 * transaction. Returns where to continue, `null` at the end, and the counts of erased items.
 */
export function eraseSomeIn(
  tx: Tx,
  ctx: Ctx,
  at: Erasing,
): { next: Erasing | null; erased: PrivacyCounts } {
  const isOver = timeIsOver(STEP_MS)
  const { contactId, after, ...progress } = at
  if (after !== undefined) {
    const isMeant = answerFinder(ctx, {
      contactIds: idsOfPerson(ctx, contactId),
      traces: at.traces ?? [],
      goneIds: at.goneIds ?? [],
    })
    const { erased: erasedResponses, next } = eraseResponsesIn(tx, ctx, {
      after,
      isMeant,
      isOver,
    })
    const position = next === null ? {} : { after: next }
    return {
      next: { ...progress, contactId, ...position },
      erased: { idempotency_answers: erasedResponses },
    }
  }
  const { isMore, erased } = eraseMessagesIn(tx, ctx, contactId, isOver)
  const gone: PrivacyCounts = { ...erased }
  if (isMore) return { next: at, erased: gone }
  gone['notes'] = eraseNotesIn(tx, ctx, contactId)
  if (gone['notes'] > 0) return { next: at, erased: gone }
  gone['transfers'] = eraseTransfersIn(tx, ctx, contactId)
  if (gone['transfers'] > 0) return { next: at, erased: gone }
  gone['scheduled_messages'] = eraseScheduledIn(tx, ctx, contactId)
  if (gone['scheduled_messages'] > 0) return { next: at, erased: gone }
  gone['timeline'] = eraseTimelineIn(tx, ctx, contactId)
  if (gone['timeline'] > 0) return { next: at, erased: gone }
  const bot = eraseBotDataIn(tx, ctx, contactId)
  Object.assign(gone, bot)
  if (bot.bot_sessions + bot.bot_trace > 0) return { next: at, erased: gone }
  const called = eraseCallsIn(tx, ctx, contactId)
  gone['calls'] = called.calls
  gone['files'] = erased.files + called.files
  if (gone['calls'] > 0) return { next: at, erased: gone }
  gone['ai_usage'] = eraseUsageIn(tx, ctx, contactId)
  if (gone['ai_usage'] > 0) return { next: at, erased: gone }
  gone['ai_questions'] = eraseQuestionsIn(tx, ctx, contactId)
  if (gone['ai_questions'] > 0) return { next: at, erased: gone }
  gone['thread_facts'] = eraseThreadFactsIn(tx, ctx, contactId)
  if (gone['thread_facts'] > 0) return { next: at, erased: gone }
  gone['events'] = eraseEventsIn(tx, ctx, contactId, at.upTo ?? 0)
  if (gone['events'] > 0) return { next: at, erased: gone }
  return {
    next: null,
    erased: {
      ...gone,
      conversations: eraseConversationsIn(tx, ctx, contactId),
      ...eraseRequestDataIn(tx, ctx, contactId),
    },
  }
}

/**
 * Deletes a person's export archives and the reasons of their privacy requests. Runs inside the
 * caller's transaction. Returns the counts.
 */
function eraseRequestDataIn(tx: Tx, ctx: Ctx, contactId: string): PrivacyCounts {
  const ids = idsOfPerson(ctx, contactId)
  const about = inOrganization(ctx, privacyRequests, inArray(privacyRequests.contactId, ids))
  const requests = tx.select().from(privacyRequests).where(about).all()
  const archives = requests.filter(({ storedAs }) => storedAs !== null)
  for (const { id } of archives) changeRequestIn(tx, ctx, id, { state: 'expired' })
  tx.update(privacyRequests).set(emptied(privacyRequests)).where(about).run()
  enqueueFileDeletionIn(
    tx,
    ctx,
    archives.flatMap(({ storedAs }) => storedAs ?? []),
  )
  const reasons = requests.filter(({ reason }) => reason !== null)
  return { privacy_archives: archives.length, reasons: reasons.length }
}
