import type { Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import { emit } from '../../infra/outbox/events'
import { previewOf } from '../../platform/content'
import type { AccountRow } from '../accounts/view'
import { contactForSendingIn, type Whom } from '../contacts/sending'
import type { ContactRow } from '../contacts/view'
import { masksNumbers } from '../contacts/visibility'
import { conversationOfIn } from '../conversations/service'
import { fetchMediaUrl, isVoiceNote } from '../media/outgoing'
import { keepMediaIn } from '../media/service'
import { storeUpload } from '../media/uploads'
import type { MediaRow } from '../media/view'
import { MessageQueued } from './events'
import { queueSendIn } from './jobs'
import type { MessageView } from './model'
import { draftOf, withFile, type Asked, type Draft, type Filled } from './sending/draft'
import { passageOf, refuseFullQueue, requireWindow, type Way } from './sending/passage'
import { partsOf } from './parts'
import { storeMessageIn } from './store'
import { messageView, type MessageRow } from './view'

/**
 * Accepts a message for a contact: stores it `pending`, with the job that will send it, and announces it, in one transaction; nothing
 * waits for the platform. A file that comes along or is named by its address is stored first, after everything else was found good. Throws NotFoundError for
 * a contact out of sight, InvalidError (`invalid_input`, `account_required`, `account_inactive`, `contact_blocked`, `no_address`,
 * `window_closed`, `media_url_refused`) or RateLimitedError `queue_full`; then nothing is stored.
 */
export async function createMessage(ctx: Ctx, whom: Whom, input: Asked): Promise<MessageView> {
  const draft = draftOf(input)
  const way: Way = { whom, accountId: input.account_id, replyTo: input.reply_to, file: draft.file }
  const stored = await storeFile(ctx, draft, way)
  return transact(ctx.db, (tx) => {
    const row = acceptIn(tx, ctx, { draft, way, stored, clientRef: input.client_ref ?? null })
    return messageView(row, partsOf(ctx, [row])(row), masksNumbers(ctx))
  })
}

/** The file a message brings or names by its address, stored; `null` when it does neither. What would be refused anyway is refused before. */
async function storeFile(ctx: Ctx, { file }: Draft, way: Way): Promise<MediaRow | null> {
  if (file === null || file.mediaId !== null) return null
  const passage = passageOf(ctx, way)
  requireWindow(ctx, passage)
  if (passage.contact) refuseFullQueue(ctx, passage.contact.id)
  const { kind, filename, path } = file
  if (file.staged) return await storeUpload(ctx, { file: file.staged, kind, filename })
  return await fetchMediaUrl(ctx, file.url ?? '', kind, { path })
}

/** A message on its way into the outbox. */
interface Accepting {
  draft: Draft
  way: Way
  /** Its file, where that had to be stored first. */
  stored: MediaRow | null
  clientRef: string | null
  /** The message it repeats, and what is to be said of that. */
  repeats?: { id: string; warnings: string[] }
}

/** Puts a message into the outbox, in the caller's transaction, when everything about it is good. Throws as {@link createMessage}. */
export function acceptIn(tx: Tx, ctx: Ctx, { draft, way, stored, clientRef, repeats }: Accepting): MessageRow {
  const passage = passageOf(ctx, way)
  requireWindow(ctx, passage)
  const { account, quoted } = passage
  const contact = passage.contact?.deletedAtMs === null ? passage.contact : contactForSendingIn(tx, ctx, way.whom, account.id)
  refuseFullQueue(ctx, contact.id)
  const file = passage.file ?? stored
  const filled = withFile(draft, file, isVoiceNote)
  if (file) keepMediaIn(tx, ctx, [file.id])
  const { sendOptions } = draft
  const row = storeIn(tx, ctx, {
    contact,
    account,
    filled,
    sendOptions,
    mediaId: file?.id ?? null,
    quotedId: quoted?.id ?? null,
    clientRef,
    repeats,
  })
  queueSendIn(tx, ctx, row)
  emit(tx, ctx, MessageQueued, { contactId: contact.id, payload: { messageId: row.id, contactId: contact.id } })
  return row
}

interface Storing {
  contact: ContactRow
  account: AccountRow
  filled: Filled
  sendOptions: Draft['sendOptions']
  mediaId: string | null
  quotedId: string | null
  clientRef: string | null
  repeats: Accepting['repeats']
}

function storeIn(tx: Tx, ctx: Ctx, storing: Storing): MessageRow {
  const { contact, account, filled, sendOptions, mediaId, quotedId, clientRef, repeats } = storing
  const nowMs = ctx.clock.nowMs()
  const conversation = conversationOfIn(tx, ctx, { contactId: contact.id, accountId: account.id, assignedTo: contact.assignedTo })
  const { type, content } = filled.message
  const row = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: contact.id,
      accountId: account.id,
      direction: 'outgoing',
      type,
      content: { ...content },
      preview: previewOf(type, content),
      status: 'pending',
      stage: 'queued',
      source: ctx.actor.type === 'api_key' ? 'api' : 'agent',
      sentBy: ctx.actor.userId,
      sentByName: ctx.actor.userName,
      clientRef,
      sendOptions: JSON.stringify(sendOptions),
      replyToId: quotedId,
      mediaId,
      resendOfId: repeats?.id ?? null,
      warnings: JSON.stringify([...filled.warnings, ...(repeats?.warnings ?? [])]),
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      answeredAfterMs: conversation.unansweredSinceMs === null ? null : Math.max(0, nowMs - conversation.unansweredSinceMs),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: true },
  )
  if (!row) throw new Error('a message without an id of the platform was refused as a repeat')
  return row
}
