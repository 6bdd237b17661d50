import { and, eq, ne, sql, type SQL } from 'drizzle-orm'

import { fieldSentence, InvalidError, RateLimitedError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { findAccount, findOutgoingAccount, liveAccounts } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import {
  addressOf,
  findContactForSending,
  type RecipientInput,
} from '../../contacts/resolve-recipient'
import type { ContactRow } from '../../contacts/view'
import type { ConversationRow } from '../../conversations/row'
import { findConversation } from '../../conversations/service'
import { requireOpenWindow } from '../../conversations/window'
import { findSendable, requireSendable, type FlowInput } from '../../flows/send'
import type { FlowRow } from '../../flows/view'
import { requireUsableMedia } from '../../media/prepare-to-send'
import { findMedia } from '../../media/store'
import type { MediaRow } from '../../media/view'
import type { TemplateRow } from '../../templates/view'
import { messages } from '../table'
import { isOfGroup, type MessageRow } from '../view'
import type { FileInput } from '../compose/media'
import { flowOfTemplate } from '../compose/template'

/** Messages that may wait for one contact and for one organization before more are refused. */
const MAX_WAITING = { contact: 1_000, organization: 100_000 } as const

/**
 * Not sent and not given up. Without values to bind, so that its indices fit: they hold these rows
 * only.
 */
const UNSETTLED = sql`${messages.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`

/** Where a message is to go, as it was asked for. */
export interface TargetInput {
  whom: RecipientInput
  accountId?: string | undefined
  replyTo?: string | undefined
  file: FileInput | null
  /** The template it is made with. */
  template?: TemplateRow | null | undefined
  /** The form it carries. */
  flow?: FlowInput | null | undefined
}

/** Everything a message needs beside what it says. */
export interface ResolvedTarget {
  /** `null` when nobody has the address yet. */
  contact: ContactRow | null
  account: AccountRow
  quoted: MessageRow | null
  /** `null` when there is none, or while it is still to be fetched. */
  file: MediaRow | null
  /** The form it carries. */
  flow: FlowRow | null
}

/**
 * Finds contact, number, quoted message and file, and refuses what can be refused without looking
 * at the time: in the order in which the causes are told (messages contract 8). Throws
 * NotFoundError for a contact out of sight and InvalidError (`invalid_input`, `account_required`,
 * `account_inactive`, `contact_blocked`, `opted_out`, `no_address`, `phone_required`).
 */
export function resolveTarget(
  ctx: Ctx,
  { whom, accountId, replyTo, file: asked, template = null, flow: form }: TargetInput,
): ResolvedTarget {
  const contact = findContactForSending(ctx, whom)
  const quoted = replyTo === undefined ? null : quotableOf(ctx, contact, replyTo)
  const named = accountId === undefined ? null : requireAccount(ctx, accountId)
  if (quoted && named && quoted.accountId !== named.id)
    throw invalidField('body.reply_to', 'is not a message of this conversation')
  const file = fileOf(ctx, asked)
  const account = sendable(named ?? chooseAccount(ctx, contact, quoted, template))
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
  const flow = form ? findSendable(ctx, form, account) : template && flowOfTemplate(ctx, template)
  if (template) refuseTemplateTo(ctx, template, contact, whom)
  return { contact, account, quoted, file, flow }
}

/**
 * The file that is asked for, when the caller may send it; of one that is still to be fetched
 * `null`. Throws InvalidError.
 */
export function fileOf(ctx: Ctx, asked: FileInput | null): MediaRow | null {
  if (!asked?.mediaId) return null
  if (asked.isKeptReady !== true)
    return requireUsableMedia(ctx, asked.mediaId, asked.kind, asked.path)
  const [row] = findMedia(ctx, [asked.mediaId])
  if (row?.state !== 'ready')
    throw invalidField(asked.path, "is required because the template's own file was deleted")
  return row
}

/**
 * Who gets no template of a category: nobody marketing they do not want, and no one-time code
 * without a number (platform documentation).
 */
function refuseTemplateTo(
  ctx: Ctx,
  { category }: TemplateRow,
  contact: ContactRow | null,
  whom: RecipientInput,
): void {
  if (category === 'MARKETING' && contact?.marketingConsent === 'opted_out')
    throw new InvalidError('The contact has opted out of marketing messages.', {
      code: 'opted_out',
    })
  if (category !== 'AUTHENTICATION') return
  const hasNumber = contact
    ? (contact.waId ?? contact.phoneNumber) !== null
    : addressOf(ctx, whom)?.kind === 'phone'
  if (!hasNumber)
    throw new InvalidError(
      'One-time codes can only be sent to a phone number, and this contact has none.',
      {
        code: 'phone_required',
      },
    )
}

/**
 * The phone number that `account_id` of a body names, connected or not any more. Throws
 * InvalidError when the organization never had it.
 */
export function requireAccount(ctx: Ctx, accountId: string): AccountRow {
  const account = findAccount(ctx, accountId)
  if (!account) throw invalidField('body.account_id', 'is not a connected phone number')
  return account
}

/** A refusal because of one field of the body. */
export const invalidField = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

function quotableOf(ctx: Ctx, contact: ContactRow | null, id: string): MessageRow {
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

/**
 * The number when none was asked for: that of the message replied to, the one last used with the
 * contact, the default, the only one. A template goes from one of its business account.
 */
function chooseAccount(
  ctx: Ctx,
  contact: ContactRow | null,
  quoted: MessageRow | null,
  template: TemplateRow | null,
): AccountRow {
  const fitting = (account: AccountRow | null): AccountRow | null =>
    account &&
    account.deletedAtMs === null &&
    (!template || account.businessId === template.businessId)
      ? account
      : null
  const ofConversation = quoted && findAccount(ctx, quoted.accountId)
  const last = contact?.accountId ? findAccount(ctx, contact.accountId) : null
  const account =
    ofConversation ??
    fitting(last) ??
    fitting(findOutgoingAccount(ctx)) ??
    (template && numberOf(ctx, template))
  if (account) return account
  throw new InvalidError(
    '`account_id` is required because no default phone number can be determined. Send ' +
      '`account_id` or set a default outgoing number.',
    {
      code: 'account_required',
      errors: [{ path: 'body.account_id', message: 'is required' }],
    },
  )
}

/**
 * A number of the template's business account: the one it was made with, else an active one, else
 * any.
 */
function numberOf(ctx: Ctx, template: TemplateRow): AccountRow | null {
  const ofBusiness = liveAccounts(ctx).filter(
    ({ businessId }) => businessId === template.businessId,
  )
  const active = ofBusiness.filter(({ status }) => status === 'active')
  return active.find(({ id }) => id === template.accountId) ?? active[0] ?? ofBusiness[0] ?? null
}

function sendable(account: AccountRow): AccountRow {
  if (account.deletedAtMs !== null)
    throw new InvalidError('This phone number is disconnected. Choose another `account_id`.', {
      code: 'account_inactive',
    })
  if (account.status === 'suspended')
    throw new InvalidError(
      'The platform has suspended this phone number. Resolve it in the business manager.',
      {
        code: 'account_inactive',
      },
    )
  return account
}

/** The conversation of the contact with the number; `null` when there is none yet. */
export const conversationOf = (
  ctx: Ctx,
  { contact, account }: ResolvedTarget,
): ConversationRow | null =>
  contact && findConversation(ctx, { contactId: contact.id, accountId: account.id })

/**
 * Warns with `group_message` when a message answers one that was written in a group: it goes to the
 * private chat. That is one which quotes it, or follows it without quoting anything.
 */
export function groupWarnings(ctx: Ctx, passage: ResolvedTarget): string[] {
  const answered = passage.quoted ?? lastMessageOf(ctx, conversationOf(ctx, passage))
  return answered && answered.direction === 'incoming' && isOfGroup(answered)
    ? ['group_message']
    : []
}

const lastMessageOf = (ctx: Ctx, conversation: ConversationRow | null): MessageRow | null =>
  (conversation?.lastMessageId != null &&
    ctx.db.orm
      .select()
      .from(messages)
      .where(inOrganization(ctx, messages, eq(messages.id, conversation.lastMessageId)))
      .get()) ||
  null

/**
 * Refuses what is no template outside the 24-hour window, and a form that cannot be sent. Throws
 * InvalidError `window_closed`, `flow_not_sendable`.
 */
export function requireWindow(ctx: Ctx, passage: ResolvedTarget): void {
  requireOpenWindow(conversationOf(ctx, passage), ctx.clock.nowMs())
  if (passage.flow) requireSendable(passage.flow)
}

/**
 * Refuses more messages than may wait; those of campaigns do not count. Throws RateLimitedError
 * `queue_full`.
 */
export function refuseFullQueue(ctx: Ctx, contactId: string): void {
  const reaches = (most: number, ...conditions: (SQL | undefined)[]): boolean =>
    ctx.db.orm
      .select({ id: messages.id })
      .from(messages)
      .where(inOrganization(ctx, messages, UNSETTLED, ...conditions))
      .limit(1)
      .offset(most - 1)
      .get() !== undefined
  const isFull = (most: number, condition?: SQL): boolean =>
    // The first look needs nothing but the index.
    reaches(most, condition) && reaches(most, condition, ne(messages.source, 'campaign'))
  if (
    isFull(MAX_WAITING.contact, eq(messages.contactId, contactId)) ||
    isFull(MAX_WAITING.organization)
  )
    throw new RateLimitedError(
      'The send queue of this contact or organization is full. Try again in 30 seconds.',
      30,
      { code: 'queue_full' },
    )
}
