import { NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { findContactForSending, type RecipientInput } from '../../contacts/resolve-recipient'
import type { MessageView, ReactionsView } from '../model'
import { createMessage } from './create'
import { reactableMessage, reactToMessage } from '../reactions/send'
import type { MessageRow } from '../view'
import type { MessageInput } from '../compose/input'
import { invalidField } from './resolve-target'
import { readOrRefuse } from '../../../lib/input-problems'

/** What a send comes to: a message; of a reaction those that stand on its message. */
export type SendResult = { message: MessageView } | { reacted: ReactionsView }

/**
 * Sends what was asked for; a reaction is set, as at its own endpoint. Throws as {@link
 * createMessage} and {@link reactToMessage}.
 */
export async function send(
  ctx: Ctx,
  whom: RecipientInput,
  input: MessageInput,
): Promise<SendResult> {
  if (input.type !== 'reaction') return { message: await createMessage(ctx, whom, input) }
  const { row, emoji } = reactionOf(ctx, whom, input)
  return {
    reacted: reactToMessage(ctx, { contactId: row.contactId, messageId: row.id }, emoji),
  }
}

/**
 * The message a body reacts to, and with what, as far as the window does not matter. Throws as
 * {@link reactToMessage}.
 */
export function reactionOf(
  ctx: Ctx,
  whom: RecipientInput,
  { message_id, emoji, account_id }: MessageInput,
): { row: MessageRow; emoji: string } {
  const asked = readOrRefuse((report) => {
    if (message_id === undefined) report('body.message_id', 'is required')
    if (emoji === undefined) report('body.emoji', 'is required; empty takes the reaction back')
    return { messageId: message_id ?? '', emoji: emoji ?? '' }
  })
  const contact = findContactForSending(ctx, whom)
  const notTheirs = invalidField('body.message_id', 'is not a message of this conversation')
  if (!contact) throw notTheirs
  const row = messageOf(ctx, { contactId: contact.id, ...asked })
  if (!row || (account_id !== undefined && row.accountId !== account_id)) throw notTheirs
  return { row, emoji: asked.emoji }
}

/** In a body an unknown id is no missing thing but a field in question. */
function messageOf(
  ctx: Ctx,
  at: { contactId: string; messageId: string; emoji: string },
): MessageRow | null {
  try {
    return reactableMessage(ctx, at, at.emoji)
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}
