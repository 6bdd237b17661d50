import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { amountOf } from '../../../lib/money'
import { looksLikePhone, maskNumbersIn, maskPhone, maskPhonesIn } from '../../../lib/phone'
import { mediaSummary, type MediaRow } from '../../channel/media/view'
import type { MessageView } from './model'
import type { messages } from './table'

/** Database row of a message. */
export type MessageRow = typeof messages.$inferSelect

/** Columns that no view shows, so lists do not read them. */
type Unshown =
  | 'row'
  | 'organizationId'
  | 'stage'
  | 'heldReason'
  | 'isSilent'
  | 'sendOptions'
  | 'answeredAfterMs'
  | 'raw'
  | 'acceptedAtMs'
  | 'costCountry'
  | 'costMonth'
  | 'windowAtSend'
  | 'allowanceMonth'

/** Columns that views are made of. */
export type ShownMessage = Omit<MessageRow, Unshown>

const readJson = <T>(written: string | null): T | null =>
  written === null ? null : (JSON.parse(written) as T)

/** The quoted message as views show it. */
export interface QuotedMessage {
  id: string
  type: string
  preview: string
  source: MessageRow['source']
}

/** A current reaction to a message. */
export type ReactionView = MessageView['reactions'][number]

/** Related data that a message view shows. */
export interface MessageParts {
  quoted: QuotedMessage | null
  media: MediaRow | null
  reactions: ReactionView[]
  /** Campaign of the message. */
  campaignId: string | null
  /** Phone numbers of its contact, loaded on demand. */
  ownNumbers: () => string[]
}

/** Prefix of the key of a message without a platform ID. */
export const DIGEST_KEY = 'digest:'

/** Returns the platform ID of a message; `null` if it has none. */
export const platformIdOf = (row: Pick<MessageRow, 'waMessageId'>): string | null =>
  row.waMessageId?.startsWith(DIGEST_KEY) === true ? null : row.waMessageId

/** Returns the platform ID of the quoted message, or `null`. */
export const quotedPlatformId = (row: Pick<MessageRow, 'context'>): string | null =>
  readJson<{ wa_message_id?: string | null }>(row.context)?.wa_message_id ?? null

/**
 * Returns a function that masks phone numbers in texts of a message: all numbers in system and
 * unsupported messages, the contact's own numbers in what the server wrote, which are templates and
 * the texts of the bot.
 */
function maskerFor(
  { type, source }: { type: string; source?: string | undefined },
  ownNumbers: () => string[],
): ((text: string) => string) | null {
  if (type === 'system' || type === 'unsupported') return maskPhonesIn
  if (type !== 'template' && source !== 'chatbot') return null
  const own = ownNumbers()
  return (text) => maskNumbersIn(text, own)
}

/**
 * The content of a message. With `isMasked`, phone numbers show only their last four digits in
 * system messages, unsupported items and platform errors, and so does the contact's own number in
 * templates and texts of the bot. Texts that people wrote are not masked.
 */
export function contentView(
  row: Pick<MessageRow, 'type' | 'content'> & { source?: string },
  isMasked: boolean,
  ownNumbers: () => string[],
): Record<string, unknown> {
  const mask = isMasked ? maskerFor(row, ownNumbers) : null
  const content = (mask ? maskJson(row.content, mask) : JSON.parse(row.content)) as Record<
    string,
    unknown
  >
  return isMasked && !mask && 'errors' in content
    ? { ...content, errors: maskJson(JSON.stringify(content['errors'])) }
    : content
}

/** Parses JSON and masks phone numbers in all its texts; all numbers by default. */
export const maskJson = (json: string, mask: (text: string) => string = maskPhonesIn): unknown =>
  JSON.parse(json, (_: string, value: unknown): unknown =>
    typeof value === 'string' ? mask(value) : value,
  )

/** The error of a message. With `isMasked`, phone numbers in platform details are masked. */
function errorView({ error }: ShownMessage, isMasked: boolean): MessageView['error'] {
  const parsed = readJson<NonNullable<MessageView['error']>>(error)
  return isMasked && parsed?.details != null
    ? { ...parsed, details: maskPhonesIn(parsed.details) }
    : parsed
}

/** The preview of a message. With `isMasked`, the same numbers are masked as in its content. */
const previewView = (
  row: Pick<MessageRow, 'type' | 'preview' | 'source'>,
  isMasked: boolean,
  ownNumbers: () => string[],
): string => (isMasked ? maskerFor(row, ownNumbers) : null)?.(row.preview) ?? row.preview

/** The quoted message, masked like its own preview. */
export const quotedView = (
  quoted: QuotedMessage | null,
  isMasked: boolean,
  ownNumbers: () => string[],
): Omit<QuotedMessage, 'source'> | null =>
  quoted && {
    id: quoted.id,
    type: quoted.type,
    preview: previewView(quoted, isMasked, ownNumbers),
  }

/** The context of a message. With `isMasked`, the quoted sender's number is masked. */
function contextView({ context }: ShownMessage, isMasked: boolean): Record<string, unknown> | null {
  const read = readJson<Record<string, unknown>>(context)
  const from = read?.['from']
  return isMasked && typeof from === 'string' && looksLikePhone(from)
    ? { ...read, from: maskPhone(from) }
    : read
}

/** The price category of a message. Statistics read the other stored fields. */
function pricingView({ pricing }: ShownMessage): MessageView['pricing'] {
  const parsed = readJson<NonNullable<MessageView['pricing']>>(pricing)
  return parsed && { category: parsed.category, type: parsed.type, billable: parsed.billable }
}

/** The cost of an outgoing message; `null` if it is unknown or somebody else sent it. */
export const costView = (
  row: Pick<
    MessageRow,
    'costMicros' | 'costCurrency' | 'costCategory' | 'isCostEstimate' | 'costFreeReason'
  >,
): MessageView['cost'] =>
  row.costMicros === null || row.costCurrency === null
    ? null
    : {
        amount: amountOf(row.costMicros),
        currency: row.costCurrency,
        category: row.costCategory,
        is_estimate: row.isCostEstimate,
        free_reason: row.costFreeReason,
      }

/** Whether the message was sent in a group. */
export const isOfGroup = (row: Pick<MessageRow, 'context'>): boolean =>
  readJson<{ group_id?: string }>(row.context)?.group_id !== undefined

const templateNameOf = (row: ShownMessage): string | null =>
  readJson<{ name?: string }>(row.content)?.name ?? null

/** Returns the ID of the unconfirmed message that the bot repeated with this one, or `null`. */
export const repeatedId = (row: Pick<MessageRow, 'source' | 'resendOfId'>): string | null =>
  row.source === 'chatbot' ? row.resendOfId : null

/** Whether AI wrote a message or a part of it: that of the bot, or the agent of WhatsApp itself. */
export const isAiGenerated = ({
  aiModel,
  source,
}: Pick<MessageRow, 'aiModel' | 'source'>): boolean =>
  aiModel !== null || source === 'platform_agent'

/** Returns the message as the API shows it. */
export function messageView(
  row: ShownMessage,
  parts: MessageParts,
  isMasked: boolean,
): MessageView {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    contact_id: row.contactId,
    account_id: row.accountId,
    wa_message_id: platformIdOf(row),
    direction: row.direction,
    type: row.type,
    content: contentView(row, isMasked, parts.ownNumbers),
    status: row.status,
    timestamp: isoTime(row.timestampMs),
    received_at: isoTime(row.receivedAtMs),
    sent_at: isoTimeOrNull(row.sentAtMs),
    delivered_at: isoTimeOrNull(row.deliveredAtMs),
    read_at: isoTimeOrNull(row.readAtMs),
    played_at: isoTimeOrNull(row.playedAtMs),
    failed_at: isoTimeOrNull(row.failedAtMs),
    error: errorView(row, isMasked),
    reply_to: quotedView(parts.quoted, isMasked, parts.ownNumbers),
    context: contextView(row, isMasked),
    referral: readJson(row.referral),
    media: parts.media && mediaSummary(parts.media),
    reactions: parts.reactions,
    edited_at: isoTimeOrNull(row.editedAtMs),
    revoked_at: isoTimeOrNull(row.revokedAtMs),
    preview: previewView(row, isMasked, parts.ownNumbers),
    warnings: readJson<string[]>(row.warnings) ?? [],
    source: row.source,
    observed: row.isObserved,
    ai_generated: isAiGenerated(row),
    ai_model: row.aiModel,
    sent_by: row.sentBy === null ? null : { id: row.sentBy, name: row.sentByName },
    client_ref: row.clientRef,
    campaign_id: parts.campaignId,
    direct: row.isDirect,
    platform_template_id: row.platformTemplateId,
    template_name: row.type === 'template' ? templateNameOf(row) : null,
    resend_of: repeatedId(row) === null ? row.resendOfId : null,
    repeat_of: repeatedId(row),
    pricing: pricingView(row),
    cost: costView(row),
    created_at: isoTime(row.createdAtMs),
  }
}
