import { and, eq, inArray } from 'drizzle-orm'

import { InvalidError, RateLimitedError, type FieldProblem } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import { enqueue } from '../../infra/jobs/enqueue'
import { emit } from '../../infra/outbox/events'
import { previewOf } from '../../platform/content'
import { findAccount, findOutgoingAccount } from '../accounts/state'
import type { AccountRow } from '../accounts/view'
import type { ContactRow } from '../contacts/view'
import { getVisibleContact, masksNumbers } from '../contacts/visibility'
import { requireOpenWindow } from '../conversations/window'
import { conversationOfIn, findConversation } from '../conversations/service'
import { MessageQueued } from './events'
import { sendMessage } from './jobs'
import { LONGEST_TEXT, type MessageView, type NewMessage } from './model'
import { sendKey } from './policy'
import { partsOf } from './parts'
import { storeMessageIn } from './store'
import { messages } from './table'
import { messageView, type MessageRow } from './view'

/** Messages that may wait for one contact and for one organization before more are refused. */
const MOST_WAITING = { contact: 1_000, organization: 100_000 } as const

const UNSETTLED = ['queued', 'held', 'sending', 'retry_wait', 'ambiguous'] as const

/**
 * Accepts a text for a contact: stores it `pending`, with the job that will send it, and announces it, in one transaction; nothing
 * waits for the platform. Throws NotFoundError for a contact out of sight, InvalidError (`invalid_input`, `account_required`,
 * `account_inactive`, `contact_blocked`, `no_address`, `window_closed`) or RateLimitedError `queue_full`; then nothing is stored.
 */
export function createMessage(ctx: Ctx, contactId: string, input: NewMessage): MessageView {
  return transact(ctx.db, (tx) => {
    const text = textOf(input)
    const contact = getVisibleContact(ctx, contactId)
    const quoted = input.reply_to === undefined ? null : quotableIn(tx, ctx, contact, input.reply_to)
    const account = chooseAccount(ctx, contact, input.account_id)
    if (quoted && quoted.accountId !== account.id) throw invalid('reply_to', 'is not a message of this conversation')
    if (contact.blockedAtMs !== null) throw new InvalidError('This contact is blocked.', { code: 'contact_blocked' })
    if (!(contact.waId ?? contact.phoneNumber ?? contact.userId ?? contact.parentUserId))
      throw new InvalidError('This contact has neither a phone number nor a user id.', { code: 'no_address' })
    const conversation = findConversation(ctx, { contactId: contact.id, accountId: account.id })
    requireOpenWindow(conversation?.lastInboundAtMs ?? null, ctx.clock.nowMs())
    refuseFullQueue(tx, ctx, contact.id)
    const row = storeIn(tx, ctx, { contact, account, text, input, quotedId: quoted?.id ?? null })
    enqueue(tx, ctx, sendMessage, { args: { messageId: row.id }, serialKey: sendKey(contact.id) })
    emit(tx, ctx, MessageQueued, { contactId: contact.id, payload: { messageId: row.id, contactId: contact.id } })
    return messageView(row, partsOf(ctx, [row])(row), masksNumbers(ctx))
  })
}

const invalid = (field: string, message: string): InvalidError => {
  const problem: FieldProblem = { path: `body.${field}`, message }
  return new InvalidError(`${problem.path}: ${message}.`, { code: 'invalid_input', errors: [problem] })
}

/** The text of the request, as it will be sent. Throws InvalidError when it is missing, blank, given twice or too long. */
function textOf(input: NewMessage): string {
  if (input.text !== undefined && input.content !== undefined && input.text !== input.content.text)
    throw invalid('text', 'and content.text differ; send one of them')
  const text = (input.text ?? input.content?.text ?? '').replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()
  if (text.trim() === '') throw invalid('text', 'must not be empty or blank')
  if ([...text].length > LONGEST_TEXT) throw invalid('text', `must have at most ${LONGEST_TEXT} characters`)
  return text
}

function quotableIn(tx: Tx, ctx: Ctx, contact: ContactRow, id: string): MessageRow {
  const row = tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, and(eq(messages.id, id), eq(messages.contactId, contact.id))))
    .get()
  if (!row) throw invalid('reply_to', 'is not a message of this conversation')
  return row
}

/** The number to send from: the one asked for, else the contact's last used one, else the default, else the only one. */
function chooseAccount(ctx: Ctx, contact: ContactRow, accountId: string | undefined): AccountRow {
  if (accountId !== undefined) {
    const asked = findAccount(ctx, accountId)
    if (!asked) throw invalid('account_id', 'is not a connected phone number')
    return sendable(asked)
  }
  const last = contact.accountId === null ? null : findAccount(ctx, contact.accountId)
  const account = last && last.deletedAtMs === null ? last : findOutgoingAccount(ctx)
  if (!account)
    throw new InvalidError('Say with account_id which phone number to send from: there is none that goes without saying.', {
      code: 'account_required',
      errors: [{ path: 'body.account_id', message: 'is required' }],
    })
  return sendable(account)
}

function sendable(account: AccountRow): AccountRow {
  if (account.deletedAtMs !== null) throw new InvalidError('This phone number has been disconnected.', { code: 'account_inactive' })
  if (account.status === 'suspended')
    throw new InvalidError('This phone number is suspended by the platform and cannot send.', { code: 'account_inactive' })
  return account
}

function refuseFullQueue(tx: Tx, ctx: Ctx, contactId: string): void {
  const reaches = (most: number, ofContact: boolean): boolean => {
    const waiting = inOrganization(
      ctx,
      messages,
      and(inArray(messages.stage, [...UNSETTLED]), ofContact ? eq(messages.contactId, contactId) : undefined),
    )
    return (
      tx
        .select({ id: messages.id })
        .from(messages)
        .where(waiting)
        .limit(1)
        .offset(most - 1)
        .get() !== undefined
    )
  }
  if (reaches(MOST_WAITING.contact, true) || reaches(MOST_WAITING.organization, false))
    throw new RateLimitedError('Too many messages are waiting to be sent. Try again when some are gone.', 30, { code: 'queue_full' })
}

function storeIn(
  tx: Tx,
  ctx: Ctx,
  what: { contact: ContactRow; account: AccountRow; text: string; input: NewMessage; quotedId: string | null },
): MessageRow {
  const { contact, account, text, input, quotedId } = what
  const nowMs = ctx.clock.nowMs()
  const conversation = conversationOfIn(tx, ctx, { contactId: contact.id, accountId: account.id, assignedTo: contact.assignedTo })
  const row = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: contact.id,
      accountId: account.id,
      direction: 'outgoing',
      type: 'text',
      content: { text },
      preview: previewOf('text', { text }),
      status: 'pending',
      stage: 'queued',
      source: ctx.actor.type === 'api_key' ? 'api' : 'agent',
      sentBy: ctx.actor.userId,
      sentByName: ctx.actor.userName,
      clientRef: input.client_ref ?? null,
      sendOptions: JSON.stringify({ preview_url: input.preview_url ?? false }),
      replyToId: quotedId,
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      answeredAfterMs: conversation.unansweredSinceMs === null ? null : Math.max(0, nowMs - conversation.unansweredSinceMs),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: true },
  )
  if (!row) throw new Error('a message without an id of the platform was refused as a repeat')
  return row
}
