import { and, eq } from 'drizzle-orm'

import { InvalidError } from '../../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { AccountRow } from '../../../channel/accounts/view'
import {
  addressOf,
  findContactForSending,
  type RecipientInput,
} from '../../contacts/identities/resolve-recipient'
import type { ContactRow } from '../../contacts/view'
import type { ConversationRow } from '../../conversations/row'
import { findConversation } from '../../conversations/service'
import { requireOwnThread } from '../../conversations/thread-owner'
import { isWindowOpen, requireOpenWindow } from '../../conversations/window'
import { findSendable, requireSendable, type FlowInput } from '../../../channel/flows/send'
import type { FlowRow } from '../../../channel/flows/view'
import { requireUsableMedia } from '../../../channel/media/prepare-to-send'
import { findMedia } from '../../../channel/media/store'
import type { MediaRow } from '../../../channel/media/view'
import type { TemplateRow } from '../../../channel/templates/view'
import { messages } from '../table'
import { isOfGroup, type MessageRow } from '../view'
import type { FileInput } from '../compose/media'
import { flowOfTemplate } from '../compose/template/flow-token'
import { requireAccount, invalidField, chooseAccount, requireCanSend } from './choose-account'

/** The recipient, account, quoted message and attachments that a request names. */
export interface TargetInput {
  recipient: RecipientInput
  accountId?: string | undefined
  replyTo?: string | undefined
  file: FileInput | null
  /** The template of the message. */
  template?: TemplateRow | null | undefined
  /** The Flow it carries. */
  flow?: FlowInput | null | undefined
  /** Whether the caller knowingly takes over a thread that somebody else owns. */
  takesThread?: boolean | undefined
}

/** The rows that a message refers to. */
export interface ResolvedTarget {
  /** `null` if no contact has the address yet. */
  contact: ContactRow | null
  account: AccountRow
  quoted: MessageRow | null
  /** `null` if there is no file, or if it is not stored yet. */
  file: MediaRow | null
  /** The Flow it carries. */
  flow: FlowRow | null
  takesThread: boolean
}

/**
 * Resolves the contact, phone number, quoted message, file and Flow of a send request. Reports
 * errors in the order that the contract defines (messages contract 8). Does not check the 24-hour
 * window. Throws NotFoundError if the contact is not visible and InvalidError (`invalid_input`,
 * `account_required`, `account_inactive`, `contact_blocked`, `opted_out`, `no_address`,
 * `phone_required`).
 */
export function resolveTarget(ctx: Ctx, input: TargetInput): ResolvedTarget {
  const { recipient, accountId, replyTo, template = null, flow: flowInput } = input
  const contact = findContactForSending(ctx, recipient)
  const quoted = replyTo === undefined ? null : requireQuotable(ctx, contact, replyTo)
  const named = accountId === undefined ? null : requireAccount(ctx, accountId)
  if (quoted && named && quoted.accountId !== named.id)
    throw invalidField('body.reply_to', 'is not a message of this conversation')
  const file = fileOf(ctx, input.file)
  const account = requireCanSend(named ?? chooseAccount(ctx, contact, quoted, template))
  if (template && account.businessId !== template.businessId)
    throw invalidField(
      'body.account_id',
      'belongs to a different business account than the template',
    )
  if (contact && contact.blockedAtMs !== null)
    throw new InvalidError('This contact is blocked. Unblock it before sending.', {
      code: 'contact_blocked',
    })
  if (contact && !(contact.waId ?? contact.phoneNumber ?? contact.userId ?? contact.parentUserId))
    throw new InvalidError('The contact has no phone number or user ID to send to.', {
      code: 'no_address',
    })
  const flow = flowInput
    ? findSendable(ctx, flowInput, account)
    : template && flowOfTemplate(ctx, template)
  if (template) requireTemplateAllowed(ctx, template, contact, recipient)
  return { contact, account, quoted, file, flow, takesThread: input.takesThread ?? false }
}

/**
 * Returns the file that a request names by ID; `null` for one that is uploaded or named by URL.
 * Throws InvalidError if the caller may not send it.
 */
export function fileOf(ctx: Ctx, input: FileInput | null): MediaRow | null {
  if (!input?.mediaId) return null
  if (input.isKeptReady !== true)
    return requireUsableMedia(ctx, input.mediaId, input.kind, input.path)
  const [row] = findMedia(ctx, [input.mediaId])
  if (row?.state !== 'ready')
    throw invalidField(input.path, "is required because the template's own file was deleted")
  return row
}

/**
 * Rejects marketing templates for contacts that opted out, and one-time codes for contacts without
 * a phone number (platform documentation).
 */
function requireTemplateAllowed(
  ctx: Ctx,
  { category }: TemplateRow,
  contact: ContactRow | null,
  recipient: RecipientInput,
): void {
  if (category === 'MARKETING' && contact?.marketingConsent === 'opted_out')
    throw new InvalidError('The contact has opted out of marketing messages.', {
      code: 'opted_out',
    })
  if (category !== 'AUTHENTICATION') return
  const hasNumber = contact
    ? (contact.waId ?? contact.phoneNumber) !== null
    : addressOf(ctx, recipient)?.kind === 'phone'
  if (!hasNumber)
    throw new InvalidError(
      'One-time codes can only be sent to a phone number, and this contact has none.',
      {
        code: 'phone_required',
      },
    )
}

function requireQuotable(ctx: Ctx, contact: ContactRow | null, id: string): MessageRow {
  const row = contact
    ? ctx.db.orm
        .select()
        .from(messages)
        .where(
          inOrganization(
            ctx,
            messages,
            and(eq(messages.id, id), eq(messages.contactId, contact.id)),
          ),
        )
        .get()
    : undefined
  if (!row) throw invalidField('body.reply_to', 'is not a message of this conversation')
  return row
}

/** Returns the conversation of the contact with the phone number, or `null`. */
export const conversationOf = (
  ctx: Ctx,
  { contact, account }: ResolvedTarget,
): ConversationRow | null =>
  contact && findConversation(ctx, { contactId: contact.id, accountId: account.id })

/** Whether the 24-hour window of the contact with the phone number is open. */
export const isWindowOpenFor = (ctx: Ctx, resolved: ResolvedTarget): boolean =>
  isWindowOpen(conversationOf(ctx, resolved), ctx.clock.nowMs())

/**
 * Returns the warning `group_message` if the message quotes or follows a group message: the reply
 * goes to the private chat.
 */
export function groupWarnings(ctx: Ctx, resolved: ResolvedTarget): string[] {
  const answered = resolved.quoted ?? lastMessageOf(ctx, conversationOf(ctx, resolved))
  return answered && answered.direction === 'incoming' && isOfGroup(answered)
    ? ['group_message']
    : []
}

/** Compiled, because every message that is sent asks for it. */
const originOf = compiled((orm) =>
  orm
    .select({ direction: messages.direction, context: messages.context })
    .from(messages)
    .where(inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))))
    .prepare(),
)

function lastMessageOf(
  { db, organizationId }: Ctx,
  conversation: ConversationRow | null,
): Pick<MessageRow, 'direction' | 'context'> | null {
  const id = conversation?.lastMessageId ?? null
  return id === null ? null : (originOf(db).get({ organizationId, id }) ?? null)
}

/**
 * Rejects free-form messages outside the 24-hour window or in a thread that somebody else owns, and
 * Flows that cannot be sent. Throws InvalidError `window_closed` or `flow_not_sendable`, and
 * ConflictError `thread_not_ours`.
 */
export function requireFreeForm(ctx: Ctx, resolved: ResolvedTarget): void {
  const conversation = conversationOf(ctx, resolved)
  requireOpenWindow(conversation, ctx.clock.nowMs())
  if (conversation && !resolved.takesThread) requireOwnThread(ctx, conversation)
  if (resolved.flow) requireSendable(resolved.flow)
}
