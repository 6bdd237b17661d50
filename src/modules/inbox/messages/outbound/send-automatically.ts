import { AppError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { findConversation } from '../../conversations/service'
import { cardFilesOf, parseMessage, type MessageInput } from '../compose/input'
import { templateMessage } from '../compose/template/fill'
import { isStoppedByBudget } from '../cost/spend'
import type { MessageRow } from '../view'
import { NO_ATTACHED_FILES } from './attached-files'
import { maySendAutomatically } from './automatic'
import { fileOf } from './resolve-target'
import { createMessageIn, prepareMessage, targetOf, type AutomaticSource } from './create'

/** A message that no person asks for. Its files are named by ID. */
export interface AutomaticMessage {
  contactId: string
  accountId: string
  input: MessageInput
  source: AutomaticSource
  /** The bot flow that sends it, for the costs of each. */
  botFlowId?: string | null
  /** The AI model that wrote its text. */
  aiModel?: string | null
}

type MessageTo = Pick<AutomaticMessage, 'contactId' | 'accountId' | 'input'>

/** Why an automatic message was not created: the code of an error of `createMessage`, or one of ours. */
export interface SendRefusal {
  reason: 'not_owner' | 'budget_reached' | (string & {})
  message: string
}

/**
 * Creates an automatic message and enqueues its send job, in the caller's transaction. It counts
 * neither as an answer of the team nor as a person's message. Returns why it was refused instead of
 * throwing; nothing is stored then.
 */
export function sendAutomaticallyIn(
  tx: Tx,
  ctx: Ctx,
  message: AutomaticMessage,
): { message: MessageRow } | { refusal: SendRefusal } {
  const refusal = automaticRefusal(ctx, { ...message, type: message.input.type })
  if (refusal) return { refusal }
  try {
    const row = savepoint(tx, (inner) =>
      createMessageIn(inner, ctx, {
        ...partsOf(ctx, message),
        clientRef: null,
        automatic: message.source,
        botFlowId: message.botFlowId ?? null,
        ...(message.aiModel == null ? {} : { aiModel: message.aiModel }),
      }),
    )
    return { message: row }
  } catch (error) {
    return { refusal: refusalIn(error) }
  }
}

/** Returns why an automatic message would be refused now, or `null`. Stores nothing. */
export function checkAutomatically(ctx: Ctx, message: AutomaticMessage): SendRefusal | null {
  const refusal = automaticRefusal(ctx, { ...message, type: message.input.type })
  if (refusal) return refusal
  try {
    prepareMessage(ctx, partsOf(ctx, message))
    return null
  } catch (error) {
    return refusalIn(error)
  }
}

/** An automatic message that is not sent: `null` stands for any contact, or for any number. */
export interface ImaginedMessage {
  contactId: string | null
  accountId: string | null
  input: MessageInput
  /** Whether its file is only imagined, too. */
  hasNoFile: boolean
}

/**
 * Returns why an automatic message would be refused to a customer who has just written, or `null`, in
 * the order of {@link checkAutomatically}.
 */
export function checkImagined(
  ctx: Ctx,
  { contactId, accountId, input, hasNoFile }: ImaginedMessage,
): string | null {
  const place = contactId === null || accountId === null ? null : { contactId, accountId }
  const refusal = place
    ? automaticRefusal(ctx, { ...place, type: input.type })
    : accountId === null
      ? null
      : budgetRefusal(ctx, accountId)
  if (refusal) return refusal.reason
  try {
    const parsed = parseMessage(ctx, {
      ...input,
      ...(accountId === null ? {} : { account_id: accountId }),
    })
    if (hasNoFile) return null
    if (place) {
      prepareMessage(ctx, partsOf(ctx, { ...place, input }), { isLater: true })
      return null
    }
    const header = fileOf(ctx, parsed.file)
    const cards = cardFilesOf(parsed).map((card) => fileOf(ctx, card))
    if (parsed.template) templateMessage(parsed.template, parsed.file, { header, cards })
    return null
  } catch (error) {
    return refusalIn(error).reason
  }
}

function partsOf(ctx: Ctx, { contactId, accountId, input }: MessageTo) {
  const named = { ...input, account_id: accountId }
  const parsed = parseMessage(ctx, named)
  return { parsed, target: targetOf({ contactId }, named, parsed), stored: NO_ATTACHED_FILES }
}

/**
 * Returns why no automatic message of a type may be sent now, or `null`. Templates are sent even if
 * another app owns the thread; a used-up budget stops all automatic messages.
 */
export function automaticRefusal(
  ctx: Ctx,
  { contactId, accountId, type }: { contactId: string; accountId: string; type: string },
): SendRefusal | null {
  const conversation = findConversation(ctx, { contactId, accountId })
  if (type !== 'template' && conversation !== null && !maySendAutomatically(ctx, conversation.id))
    return { reason: 'not_owner', message: 'Someone else owns the thread, or may own it.' }
  return budgetRefusal(ctx, accountId)
}

const budgetRefusal = (ctx: Ctx, accountId: string): SendRefusal | null =>
  isStoppedByBudget(ctx, accountId, 'stop_bots')
    ? { reason: 'budget_reached', message: 'The budget of the month is used up.' }
    : null

/** Returns the refusal in an error; throws any other error. */
function refusalIn(error: unknown): SendRefusal {
  if (!(error instanceof AppError) || error.httpStatus >= 500) throw error
  return { reason: error.code, message: error.message }
}
