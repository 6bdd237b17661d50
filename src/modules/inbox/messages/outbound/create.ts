import { maskPhone } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { messagePreview } from '../../../../platform/webhook/content'
import type { AccountRow } from '../../../channel/accounts/view'
import {
  findOrCreateRecipientIn,
  type RecipientInput,
} from '../../contacts/identities/resolve-recipient'
import { findContact } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { masksNumbers } from '../../contacts/sight/visibility'
import { findOrOpenConversationIn, findConversation } from '../../conversations/service'
import { isWindowOpen } from '../../conversations/window'
import { newFlowToken, recordSentFlowIn, requireSendable } from '../../../channel/flows/send'
import { keepMediaIn } from '../../../channel/media/store'
import { runHooks } from '../../../../infra/transaction-hooks'
import { MessageQueued, PersonWrote } from '../events'
import { enqueueSendIn } from './queue'
import type { MessageView, TemplateMessageView } from '../model'
import { parseMessage, type MessageInput, type ParsedMessage } from '../compose/input'
import { flowInputOf } from '../compose/flow'
import {
  groupWarnings,
  isWindowOpenFor,
  resolveTarget,
  requireFreeForm,
  type ResolvedTarget,
  type TargetInput,
} from './resolve-target'
import { requireQueueSpace } from './queue-limit'
import { loadMessageParts } from '../message-parts'
import { closedWindowWarnings } from './messaging-limit'
import { requirePermissionRequest } from '../call-permission/limit'
import { DIRECT_CATEGORY, estimateCostIn } from '../cost/estimate'
import { requireBudget } from '../cost/spend'
import { storeMessageIn } from '../store'
import { linkFilesIn, linkTemplateIn } from './template-payload'
import { messageView, type MessageRow } from '../view'
import { type AttachedFiles, storeFiles, filesOf } from './attached-files'
import { type FilledMessage, fillIn } from './fill'
import { jsonUnlessEmpty } from './send-options'
import { paymentWarnings } from './unpaid'

/**
 * Creates a pending message, enqueues its send job and publishes an event, in one transaction. Does
 * not wait for the platform. Uploaded files and files named by URL are stored first, after
 * validation. Throws NotFoundError if the contact is not visible, InvalidError (`invalid_input`,
 * `account_required`, `account_inactive`, `contact_blocked`, `opted_out`, `no_address`,
 * `phone_required`, `window_closed`, `flow_not_sendable`, `template_not_found`,
 * `template_not_approved`, `missing_params`, `invalid_params`, `media_url_refused`), ConflictError
 * `thread_not_ours` or `permission_request_limit`, or RateLimitedError `queue_full`. Nothing is stored then.
 */
export const createMessage = (
  ctx: Ctx,
  recipient: RecipientInput,
  input: MessageInput,
): Promise<MessageView> => accept(ctx, recipient, input, { viewOf: (view) => view })

/** Creates a message as a test, which reports do not count. Throws as {@link createMessage}. */
export const createTestMessage = (
  ctx: Ctx,
  recipient: RecipientInput,
  input: MessageInput,
): Promise<MessageView> => accept(ctx, recipient, input, { viewOf: (view) => view, isTest: true })

/**
 * Creates a template message. The result includes the recipient's phone number, masked if the
 * caller sees masked numbers. Throws as {@link createMessage}.
 */
export const createTemplateMessage = (
  ctx: Ctx,
  recipient: RecipientInput,
  input: MessageInput,
): Promise<TemplateMessageView> =>
  accept(ctx, recipient, input, {
    viewOf: (view) => {
      const number = findContact(ctx, view.contact_id)?.phoneNumber ?? null
      return {
        ...view,
        message_id: view.id,
        phone_number: number !== null && masksNumbers(ctx) ? maskPhone(number) : number,
      }
    },
  })

async function accept<T extends MessageView>(
  ctx: Ctx,
  recipient: RecipientInput,
  input: MessageInput,
  { viewOf, isTest }: { viewOf: (view: MessageView) => T; isTest?: boolean },
): Promise<T> {
  const parsed = parseMessage(ctx, input)
  const target = targetOf(recipient, input, parsed)
  const stored = await storeFiles(ctx, parsed, target)
  const work = (tx: Tx): MessageView => {
    const row = createMessageIn(tx, ctx, {
      parsed,
      target,
      stored,
      clientRef: input.client_ref ?? null,
      ...(isTest === undefined ? {} : { isTest }),
    })
    return viewOf(messageView(row, loadMessageParts(ctx, [row])(row), masksNumbers(ctx)))
  }
  return transact(ctx.db, work) as T // the result of `viewOf`
}

/** Returns what a request names, for a message that was read from it. */
export const targetOf = (
  recipient: RecipientInput,
  input: MessageInput,
  parsed: ParsedMessage,
): TargetInput => ({
  recipient,
  accountId: input.account_id,
  replyTo: input.reply_to,
  file: parsed.file,
  template: parsed.template?.row,
  flow: flowInputOf(parsed.message),
  takesThread: input.take,
})

/** A validated message that is about to be stored. */
interface NewOutboundMessage {
  parsed: ParsedMessage
  target: TargetInput
  stored: AttachedFiles
  clientRef: string | null
  /** The message it resends, with the warnings that follow from that. */
  repeats?: { id: string; warnings: string[] }
  /** Who sends it if neither the caller nor a person does. It is no answer of the team then. */
  automatic?: AutomaticSource
  /** The model that wrote its text. */
  aiModel?: string
  /** The bot flow that sends it. */
  botFlowId?: string | null
  /** A test, which reports do not count. */
  isTest?: boolean
  /** The send job of another message sends it. */
  hasJob?: boolean
}

/** A sender without a person or an integration that asks for each message. */
export type AutomaticSource = Extract<MessageRow['source'], 'chatbot' | 'system'>

/**
 * Validates a message and completes it, without storing it. With `isLater`, the 24-hour window may be
 * closed and the thread somebody else's, because it is sent at another time. `isDirect` says that it
 * goes without a template although the window is closed; such a message changes no thread. `token`
 * stands for its Flow. Throws as {@link createMessage}.
 */
export function prepareMessage(
  ctx: Ctx,
  { parsed, target, stored }: Pick<NewOutboundMessage, 'parsed' | 'target' | 'stored'>,
  { isLater = false, token = newFlowToken() }: { isLater?: boolean; token?: string } = {},
) {
  const resolved = resolveTarget(ctx, target)
  requireBudget(ctx, resolved.account.id, parsed.template?.row.category ?? null)
  const isDirect = parsed.isDirectAllowed && !isWindowOpenFor(ctx, resolved)
  if (!parsed.template && !isLater && !isDirect) requireFreeForm(ctx, resolved)
  else if (resolved.flow) requireSendable(resolved.flow)
  requirePermissionRequest(ctx, parsed, {
    contactId: resolved.contact?.id ?? null,
    accountId: resolved.account.id,
  })
  const files = filesOf(ctx, parsed, { resolved, stored })
  const filled = fillIn(ctx, parsed, {
    files,
    account: resolved.account,
    flow: resolved.flow,
    token,
  })
  return { resolved, files, token, filled, isDirect }
}

/**
 * Validates and stores a message and enqueues its send job, in the caller's transaction. Throws as
 * {@link createMessage}.
 */
export function createMessageIn(tx: Tx, ctx: Ctx, message: NewOutboundMessage): MessageRow {
  const {
    parsed,
    target,
    stored,
    clientRef,
    repeats,
    automatic,
    aiModel,
    botFlowId = null,
    isTest = false,
    hasJob = false,
  } = message
  const { isDirect, ...prepared } = prepareMessage(ctx, { parsed, target, stored })
  const { resolved, files, token, filled } = prepared
  const { account, quoted } = resolved
  const contact =
    resolved.contact?.deletedAtMs === null
      ? resolved.contact
      : findOrCreateRecipientIn(tx, ctx, target.recipient, account.id)
  requireQueueSpace(ctx, contact.id)
  keepMediaIn(tx, ctx, filled.mediaIds)
  const isCharged = parsed.template !== null || isDirect
  const warnings = warningsOf(ctx, resolved, { contactId: contact.id, isCharged })
  const row = storeIn(tx, ctx, {
    contact,
    account,
    filled: { ...filled, warnings: [...filled.warnings, ...warnings] },
    template: parsed.template?.row ?? null,
    mediaId: files.header?.id ?? null,
    quotedId: quoted?.id ?? null,
    clientRef,
    repeats,
    automatic,
    aiModel,
    botFlowId,
    isDirect,
    isTest,
  })
  if (parsed.template)
    linkTemplateIn(tx, ctx, row, { templateId: parsed.template.row.id, mediaIds: filled.mediaIds })
  else linkFilesIn(tx, ctx, row, filled.mediaIds)
  if (resolved.flow && JSON.stringify(filled).includes(token))
    recordSentFlowIn(tx, ctx, {
      token,
      flowId: resolved.flow.id,
      accountId: account.id,
      messageId: row.id,
    })
  if (!hasJob) enqueueSendIn(tx, ctx, row)
  emit(tx, ctx, MessageQueued, {
    contactId: contact.id,
    payload: { messageId: row.id, contactId: contact.id },
  })
  if (row.source === 'agent')
    runHooks(tx, ctx, PersonWrote, {
      messageId: row.id,
      contactId: contact.id,
      accountId: account.id,
      atMs: row.timestampMs,
    })
  return row
}

/**
 * Returns the warnings that a message is stored with. `contactId` is `null` if no contact has the
 * address yet. Messages without a template in an open window are not charged.
 */
export function warningsOf(
  ctx: Ctx,
  resolved: ResolvedTarget,
  { contactId, isCharged }: { contactId: string | null; isCharged: boolean },
): string[] {
  const { account } = resolved
  const nowMs = ctx.clock.nowMs()
  const conversation =
    contactId === null ? null : findConversation(ctx, { contactId, accountId: account.id })
  const isOpen = isWindowOpen(conversation, nowMs)
  return [
    ...groupWarnings(ctx, resolved),
    ...(isCharged && !isOpen ? closedWindowWarnings(ctx, account, { contactId, nowMs }) : []),
    ...paymentWarnings(ctx, account, { isCharged, contactId }),
  ]
}

interface MessageToStore {
  contact: ContactRow
  account: AccountRow
  filled: FilledMessage
  /** `null` for all other messages. */
  template: { id: string; category: string } | null
  mediaId: string | null
  quotedId: string | null
  clientRef: string | null
  repeats: NewOutboundMessage['repeats']
  automatic: AutomaticSource | undefined
  aiModel: string | undefined
  botFlowId: string | null
  isDirect: boolean
  isTest: boolean
}

function storeIn(tx: Tx, ctx: Ctx, message: MessageToStore): MessageRow {
  const { contact, account, filled, mediaId, quotedId, clientRef, repeats, automatic } = message
  const { botFlowId, template, isDirect, isTest } = message
  const nowMs = ctx.clock.nowMs()
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId: account.id,
    assignedTo: contact.assignedTo,
  })
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
      preview: messagePreview(type, content),
      status: 'pending',
      stage: 'queued',
      source: automatic ?? (ctx.actor.type === 'api_key' ? 'api' : 'agent'),
      aiModel: message.aiModel ?? null,
      sentBy: ctx.actor.userId,
      sentByName: ctx.actor.userName,
      clientRef,
      botFlowId,
      templateId: template?.id ?? null,
      isDirect,
      isTest,
      sendOptions: jsonUnlessEmpty(filled.sendOptions),
      replyToId: quotedId,
      mediaId,
      resendOfId: repeats?.id ?? null,
      warnings: jsonUnlessEmpty([...filled.warnings, ...(repeats?.warnings ?? [])]),
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      answeredAfterMs:
        automatic !== undefined || conversation.unansweredSinceMs === null
          ? null
          : Math.max(0, nowMs - conversation.unansweredSinceMs),
      ...estimateCostIn(tx, ctx, {
        accountId: account.id,
        country: contact.country,
        conversation,
        category: template?.category ?? (isDirect ? DIRECT_CATEGORY : null),
      }),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: automatic === undefined },
  )
  if (!row) throw new Error('message without a platform ID rejected as a repeat')
  return row
}
