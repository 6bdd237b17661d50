import { DAY_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { OutgoingContent } from '../../../../platform/send/content'
import { messagePayload } from '../../../../platform/send/payload'
import { buildTemplate, type TemplateToSend } from '../../../../platform/send/template'
import type { AccountRow } from '../../../channel/accounts/view'
import type { ContactRow } from '../../contacts/view'
import { platformIdOf, type MessageRow } from '../view'
import { sendOptionsOf } from './send-options'

/** The columns that determine the platform payload. */
export type SendableRow = Pick<MessageRow, 'type' | 'content' | 'sendOptions' | 'isDirect'>

/** The addresses of the recipient. */
export type PayloadRecipient = Pick<ContactRow, 'waId' | 'phoneNumber' | 'userId' | 'parentUserId'>

/** Values that are known only when the message is sent. */
export interface SendContext {
  addressee: PayloadRecipient
  account: Pick<AccountRow, 'messagingAccountId'>
  /** Platform ID of the quoted message; `null` if nothing is quoted. */
  replyTo: string | null
  /** Platform ID of the file for the sending phone number; `null` if there is none. */
  platformMediaId: string | null
  /** Returns the platform ID of a file of a card for the sending phone number. */
  idOf: (mediaId: string) => string | null
  /** ID of the message; `null` in a preview. */
  callbackData: string | null
  /** The filled template and a lookup of its platform file IDs. */
  template?: { toSend: TemplateToSend; idOf: (mediaId: string) => string | null }
}

/**
 * Builds the platform payload of a message. Uses the number that the contact was last reached by,
 * otherwise its entered number, otherwise its user IDs; never both. Throws TypeError if the contact
 * has no address.
 */
export function buildPayload(row: SendableRow, moment: SendContext): Record<string, unknown> {
  const { addressee, account, replyTo, platformMediaId, idOf, callbackData } = moment
  const { preview_url } = sendOptionsOf(row)
  // The content was stored by a message of the same type.
  const message = { type: row.type, content: JSON.parse(row.content) as unknown } as OutgoingContent
  const to = addressee.waId ?? addressee.phoneNumber
  const recipient = to === null ? (addressee.userId ?? addressee.parentUserId) : null
  const template = moment.template && buildTemplate(moment.template.toSend, moment.template.idOf)
  const facts = {
    previewUrl: preview_url ?? false,
    isDirect: row.isDirect,
    mediaId: platformMediaId,
    idOf,
    template,
  }
  const { messagingAccountId } = account
  const envelope = { to, recipient, replyTo, callbackData, messagingAccountId }
  return messagePayload(envelope, message, facts)
}

/** Oldest message that the platform can quote (platform documentation). */
const QUOTABLE_MS = 30 * DAY_MS

/**
 * Returns the platform ID of a quoted message; `null` if it has none or is too old, so that the
 * reply goes without the quote.
 */
export const platformIdToQuote = (
  ctx: Pick<Ctx, 'clock'>,
  quoted: MessageRow | null | undefined,
): string | null =>
  quoted && ctx.clock.nowMs() - quoted.timestampMs <= QUOTABLE_MS ? platformIdOf(quoted) : null
