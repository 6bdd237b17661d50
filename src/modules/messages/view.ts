import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { looksLikePhone, maskNumbersIn, maskPhone, maskPhonesIn } from '../../lib/phone'
import { mediaSummary, type MediaRow } from '../media/view'
import type { MessageView } from './model'
import type { messages } from './table'

/** A message as its row holds it. */
export type MessageRow = typeof messages.$inferSelect

/** What of a message's row nobody is shown: lists do not read it. */
type Unshown =
  | 'organizationId'
  | 'stage'
  | 'heldReason'
  | 'isSilent'
  | 'sendOptions'
  | 'answeredAfterMs'
  | 'raw'
  | 'acceptedAtMs'
  | 'updatedAtMs'

/** The part of a message's row that views are made of. */
export type ShownMessage = Omit<MessageRow, Unshown>

const readJson = <T>(written: string | null): T | null =>
  written === null ? null : (JSON.parse(written) as T)

/** What is told of the message that another one quotes. */
export interface QuotedMessage {
  id: string
  type: string
  preview: string
}

/** A reaction that stands on a message. */
export type ReactionView = MessageView['reactions'][number]

/** What a message is shown with beside its own row. */
export interface MessageParts {
  quoted: QuotedMessage | null
  media: MediaRow | null
  reactions: ReactionView[]
  /** The campaign it was made for. */
  campaignId: string | null
  /** The numbers of its contact, read when they are asked for. */
  ownNumbers: () => string[]
}

/** What the key of a message begins with that came without an id of the platform's. */
export const DIGEST_KEY = 'digest:'

/** The platform's id of a message; `null` while there is none, and for one that came without. */
export const platformIdOf = (row: Pick<MessageRow, 'waMessageId'>): string | null =>
  row.waMessageId?.startsWith(DIGEST_KEY) === true ? null : row.waMessageId

/** The platform's id of the message that this one quotes; `null` when it quotes none. */
export const quotedPlatformId = (row: Pick<MessageRow, 'context'>): string | null =>
  readJson<{ wa_message_id?: string | null }>(row.context)?.wa_message_id ?? null

/**
 * What hides the numbers in the texts of a message of a type: all of them in what the platform says
 * itself and in what nobody could read.
 */
function maskerFor(type: string, ownNumbers: () => string[]): ((text: string) => string) | null {
  if (type === 'system' || type === 'unsupported') return maskPhonesIn
  if (type !== 'template') return null
  const own = ownNumbers()
  return (text) => maskNumbersIn(text, own)
}

/**
 * The content of a message; with `isMasked` numbers inside system messages, inside items nobody
 * could read and inside errors of the platform show only their last four digits, and so does the
 * number of the contact itself in what a template was filled in with. What people wrote to each
 * other stays as it is.
 */
export function contentView(
  row: Pick<MessageRow, 'type' | 'content'>,
  isMasked: boolean,
  ownNumbers: () => string[],
): Record<string, unknown> {
  const mask = isMasked ? maskerFor(row.type, ownNumbers) : null
  const content = (mask ? maskJson(row.content, mask) : JSON.parse(row.content)) as Record<
    string,
    unknown
  >
  return isMasked && !mask && 'errors' in content
    ? { ...content, errors: maskJson(JSON.stringify(content['errors'])) }
    : content
}

/** JSON of ours with every text in it masked, all numbers unless told otherwise. */
export const maskJson = (json: string, mask: (text: string) => string = maskPhonesIn): unknown =>
  JSON.parse(json, (_: string, value: unknown): unknown =>
    typeof value === 'string' ? mask(value) : value,
  )

/**
 * Why a message failed; with `isMasked` numbers show only their last four digits in what the
 * platform says of it.
 */
function errorView({ error }: ShownMessage, isMasked: boolean): MessageView['error'] {
  const parsed = readJson<NonNullable<MessageView['error']>>(error)
  return isMasked && parsed?.details != null ? { ...parsed, details: maskPhonesIn(parsed.details) } : parsed
}

/**
 * What lists show of a message; with `isMasked` the numbers show only their last four digits that
 * its content shows so.
 */
export const previewView = (
  { type, preview }: Pick<MessageRow, 'type' | 'preview'>,
  isMasked: boolean,
  ownNumbers: () => string[],
): string => (isMasked ? maskerFor(type, ownNumbers) : null)?.(preview) ?? preview

/** The message that another one quotes, as that one shows it. */
export const quotedView = (
  quoted: QuotedMessage | null,
  isMasked: boolean,
  ownNumbers: () => string[],
): QuotedMessage | null =>
  quoted && { ...quoted, preview: previewView(quoted, isMasked, ownNumbers) }

/**
 * What a message refers to; with `isMasked` the number of who is quoted shows only its last four
 * digits.
 */
function contextView({ context }: ShownMessage, isMasked: boolean): Record<string, unknown> | null {
  const read = readJson<Record<string, unknown>>(context)
  const from = read?.['from']
  return isMasked && typeof from === 'string' && looksLikePhone(from)
    ? { ...read, from: maskPhone(from) }
    : read
}

/**
 * What a message costs, as far as views tell; statistics read the rest of what the platform says.
 */
function pricingView({ pricing }: ShownMessage): MessageView['pricing'] {
  const parsed = readJson<NonNullable<MessageView['pricing']>>(pricing)
  return parsed && { category: parsed.category, type: parsed.type, billable: parsed.billable }
}

/** Whether a message was written in a group. */
export const isOfGroup = (row: Pick<MessageRow, 'context'>): boolean =>
  readJson<{ group_id?: string }>(row.context)?.group_id !== undefined

const templateNameOf = (row: ShownMessage): string | null =>
  readJson<{ name?: string }>(row.content)?.name ?? null

/** The message as the API answers it. */
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
    warnings: row.warnings === '[]' ? [] : (JSON.parse(row.warnings) as string[]),
    source: row.source,
    sent_by: row.sentBy === null ? null : { id: row.sentBy, name: row.sentByName },
    client_ref: row.clientRef,
    campaign_id: parts.campaignId,
    template_name: row.type === 'template' ? templateNameOf(row) : null,
    resend_of: row.resendOfId,
    pricing: pricingView(row),
    created_at: isoTime(row.createdAtMs),
  }
}
