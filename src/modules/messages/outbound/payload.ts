import { DAY_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { OutgoingContent } from '../../../platform/send/content'
import { messagePayload } from '../../../platform/send/payload'
import { buildTemplate, type TemplateToSend } from '../../../platform/send/template'
import type { ContactRow } from '../../contacts/view'
import { platformIdOf, type MessageRow } from '../view'

/** What of a message decides its body at the platform. */
export type SendableRow = Pick<MessageRow, 'type' | 'content' | 'sendOptions'>

/** The addresses of whoever it goes to. */
export type Recipient = Pick<ContactRow, 'waId' | 'phoneNumber' | 'userId' | 'parentUserId'>

/** What only the moment of sending knows. */
export interface SendContext {
  addressee: Recipient
  /** Platform id of the message quoted; `null` when nothing is or can be quoted. */
  replyTo: string | null
  /** The platform's id of the message's file for the number that sends; `null` when it has none. */
  platformMediaId: string | null
  /** Our message id; `null` while there is none. */
  callbackData: string | null
  /** What is filled in of a template, and the platform's ids of its files. */
  template?: { toSend: TemplateToSend; idOf: (mediaId: string) => string | null }
}

/**
 * The body with which the platform is asked to send a message, of whatever type. The number a
 * contact was reached by goes before the one that was entered, and both before its user ids; never
 * both. Throws TypeError when the contact has no address.
 */
export function buildPayload(row: SendableRow, moment: SendContext): Record<string, unknown> {
  const { addressee, replyTo, platformMediaId, callbackData } = moment
  const { preview_url } = JSON.parse(row.sendOptions) as { preview_url?: boolean }
  // stored by a draft of that type
  const message = { type: row.type, content: JSON.parse(row.content) as unknown } as OutgoingContent
  const to = addressee.waId ?? addressee.phoneNumber
  const recipient = to === null ? (addressee.userId ?? addressee.parentUserId) : null
  const template = moment.template && buildTemplate(moment.template.toSend, moment.template.idOf)
  const facts = { previewUrl: preview_url ?? false, mediaId: platformMediaId, template }
  return messagePayload({ to, recipient, replyTo, callbackData }, message, facts)
}

/** The platform quotes nothing older (platform documentation). */
const QUOTABLE_MS = 30 * DAY_MS

/**
 * The platform's id of a message to be quoted; `null` when it has none or is too old: then the
 * answer goes without the quote.
 */
export const platformIdToQuote = (
  ctx: Pick<Ctx, 'clock'>,
  quoted: MessageRow | null | undefined,
): string | null =>
  quoted && ctx.clock.nowMs() - quoted.timestampMs <= QUOTABLE_MS ? platformIdOf(quoted) : null
