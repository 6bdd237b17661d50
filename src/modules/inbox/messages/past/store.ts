import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { describePlatformError } from '../../../../platform/client/errors'
import { cleanJson } from '../../../../platform/lenient-json'
import { messagePreview } from '../../../../platform/message-preview'
import type { ConversationRow } from '../../conversations/row'
import { findContact, restoreTimesIn } from '../../contacts/service'
import { applyEditsIn } from '../inbound/edits'
import { findByPlatformId } from '../inbound/item'
import { linkPendingReactionsIn } from '../reactions/receive'
import { plausibleTime } from '../rules'
import { deriveStatusIn } from '../status/derive'
import { recordStatusIn } from '../status/ledger'
import { storeMessageIn } from '../store'
import { messages } from '../table'
import type { MessageRow } from '../view'

/** A message that another product sent or received on a phone number. */
export interface PastMessage {
  conversation: ConversationRow
  /** WhatsApp's ID, by which later statuses and history find it; `null` if it never got one. */
  waMessageId: string | null
  direction: MessageRow['direction']
  type: string
  content: Record<string, unknown>
  atMs: number
  /** How far an outgoing one came. */
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** Why it failed, in the words of the other product. */
  problem: string | null
  /** The name of the colleague who wrote it. */
  author: string | null
  mediaId: string | null
  /** The quoted message, by its ID here or by WhatsApp's. */
  quotes: { messageId: string } | { waMessageId: string } | null
}

/**
 * Stores a message of another product with its time, as history: it is read, nothing reacts to it, no
 * event tells of it, and it costs nothing. Runs inside the caller's transaction. Returns its ID, or
 * `null` if the number already has a message with this ID of WhatsApp.
 */
export function storePastMessageIn(tx: Tx, ctx: Ctx, past: PastMessage): string | null {
  const { conversation, direction, type, waMessageId } = past
  const isIncoming = direction === 'incoming'
  const nowMs = ctx.clock.nowMs()
  const atMs = plausibleTime(past.atMs, nowMs)
  const content = cleanJson(past.content) as Record<string, unknown> // an object stays one
  const changedAtMs = findContact(ctx, conversation.contactId)?.updatedAtMs ?? nowMs
  const stored = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: conversation.contactId,
      accountId: conversation.accountId,
      direction,
      type,
      content,
      preview: messagePreview(type, content),
      timestampMs: atMs,
      receivedAtMs: atMs,
      waMessageId,
      mediaId: past.mediaId,
      replyToId: quotedBy(ctx, past),
      ...(isIncoming
        ? { source: 'contact', status: 'read', isSilent: true, readAtMs: atMs }
        : {
            source: 'phone_app', // as all that others sent on the number, it is not billed to us
            sentByName: past.author,
            ...statusOf(past, atMs),
          }),
    },
    {
      ...{ opensWindow: false, unread: 0, reopens: false, isAnswer: false, isPast: true },
      conversation,
    },
  )
  if (stored === null) return null
  restoreTimesIn(tx, ctx, conversation.contactId, { updatedAtMs: changedAtMs })
  if (waMessageId !== null) applyReportsIn(tx, ctx, stored, past)
  else if (past.status === 'failed') noteFailureIn(tx, ctx, stored, past.problem)
  return stored.id
}

const statusOf = ({ status, waMessageId }: PastMessage, atMs: number) => {
  const isFailed = waMessageId === null && status === 'failed'
  return {
    status: isFailed ? ('failed' as const) : waMessageId === null ? status : ('sent' as const),
    stage: isFailed ? ('failed' as const) : ('accepted' as const),
    sentAtMs: atMs,
    ...(isFailed ? {} : { acceptedAtMs: atMs }),
  }
}

/** Returns the quoted message if it is stored in the same conversation. */
function quotedBy(ctx: Ctx, { quotes, conversation }: PastMessage): string | null {
  if (quotes === null) return null
  const quoted =
    'messageId' in quotes
      ? of(ctx, messages).find({ id: quotes.messageId })
      : findByPlatformId(ctx, conversation.accountId, quotes.waMessageId)
  return quoted?.conversationId === conversation.id ? quoted.id : null
}

/** Applies what WhatsApp reported on the message, there or already here. */
function applyReportsIn(tx: Tx, ctx: Ctx, stored: MessageRow, past: PastMessage): void {
  const { accountId, waMessageId, timestampMs } = stored
  if (stored.direction === 'outgoing') {
    for (const status of new Set(['sent', past.status]))
      recordStatusIn(tx, ctx, {
        ...{ accountId, waMessageId: waMessageId ?? '', status, timestampMs },
        receivedAtMs: timestampMs,
        ...(status === 'failed' ? { errors: JSON.stringify([faultOf(past.problem)]) } : {}),
      })
    deriveStatusIn(tx, ctx, stored, { isQuiet: true })
  }
  linkPendingReactionsIn(tx, ctx, stored, { isQuiet: true })
  applyEditsIn(tx, ctx, stored, { isQuiet: true })
}

const faultOf = (problem: string | null) => ({
  code: null,
  title: problem,
  message: problem,
  details: problem,
  href: null,
})

function noteFailureIn(tx: Tx, ctx: Ctx, { id, timestampMs }: MessageRow, problem: string | null) {
  const { code, message, retryable } = describePlatformError(null, 'other')
  const error = { code, platform_code: null, message, details: problem, retryable }
  tx.update(messages)
    .set({ error: JSON.stringify(error), failedAtMs: timestampMs })
    .where(inOrganization(ctx, messages, eq(messages.id, id)))
    .run()
}
