import { InvalidError } from '../../../lib/errors'
import { maskPhone } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { addressOf, type Whom } from '../../contacts/sending'
import { findContact } from '../../contacts/service'
import { masksNumbers } from '../../contacts/visibility'
import { findConversation } from '../../conversations/service'
import { isWindowOpen } from '../../conversations/window'
import { isVoiceNote } from '../../media/outgoing'
import { payloadOf, platformIdToQuote, type Addressee } from '../payload'
import { draftOf, withFile } from './draft'
import type { NewMessage, PreviewView } from './model'
import { conversationOf, passageOf, type Passage } from './passage'
import { reactionOf } from './reaction'

const NOBODY: Addressee = { waId: null, phoneNumber: null, userId: null, parentUserId: null }

/**
 * What a message would look like and come to. Nothing is stored, fetched or sent; a file named by its address stays nameless here.
 * Throws as sending does, but for a closed window, which it tells.
 */
export function previewMessage(ctx: Ctx, whom: Whom, input: NewMessage): PreviewView {
  if (input.type === 'reaction') return previewReaction(ctx, whom, input)
  const draft = draftOf(input)
  const passage = passageOf(ctx, { whom, accountId: input.account_id, replyTo: input.reply_to, file: draft.file })
  if (draft.file?.url) refuseOddAddress(draft.file.url, draft.file.path)
  const { message, warnings } = withFile(draft, passage.file, isVoiceNote)
  const replyTo = platformIdToQuote(ctx, passage.quoted)
  const payload = payloadOf(
    { type: message.type, content: JSON.stringify(message.content), sendOptions: JSON.stringify(draft.sendOptions) },
    { addressee: passage.contact ?? strangerOf(ctx, whom), replyTo, platformMediaId: passage.file?.id ?? null, callbackData: null },
  )
  return {
    rendered: { type: message.type, content: { ...message.content } },
    platform_payload: shownPayload(ctx, payload),
    window_open: isWindowOpen(conversationOf(ctx, passage), ctx.clock.nowMs()),
    estimated_cost: null,
    warnings: [...warnings, ...warningsOf(passage, replyTo)],
  }
}

/** A payload as the caller may see it: without the number where numbers are hidden. */
function shownPayload(ctx: Ctx, payload: Record<string, unknown>): Record<string, unknown> {
  const { to } = payload
  return typeof to === 'string' && masksNumbers(ctx) ? { ...payload, to: maskPhone(to) } : payload
}

function previewReaction(ctx: Ctx, whom: Whom, input: NewMessage): PreviewView {
  const { row, emoji } = reactionOf(ctx, whom, input)
  const content = { message_id: row.waMessageId ?? '', emoji }
  const contact = findContact(ctx, row.contactId)
  const conversation = findConversation(ctx, { contactId: row.contactId, accountId: row.accountId })
  const payload = payloadOf(
    { type: 'reaction', content: JSON.stringify(content), sendOptions: '{}' },
    { addressee: contact ?? NOBODY, replyTo: null, platformMediaId: null, callbackData: null },
  )
  return {
    rendered: { type: 'reaction', content: { message_id: row.id, emoji } },
    platform_payload: shownPayload(ctx, payload),
    window_open: isWindowOpen(conversation, ctx.clock.nowMs()),
    estimated_cost: null,
    warnings: [],
  }
}

/** What of an address can be judged without asking anybody. */
function refuseOddAddress(url: string, path: string): void {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return
  const message = 'must begin with http:// or https://'
  throw new InvalidError(`${path}: ${message}.`, { code: 'media_url_refused', errors: [{ path, message }] })
}

/** The address of somebody who is no contact yet. */
function strangerOf(ctx: Ctx, whom: Whom): Addressee {
  const address = addressOf(ctx, whom)
  if (address === null) return NOBODY
  return address.kind === 'phone' ? { ...NOBODY, phoneNumber: address.value } : { ...NOBODY, userId: address.value }
}

function warningsOf({ account, quoted }: Passage, replyTo: string | null): string[] {
  return [...(quoted && replyTo === null ? ['quote_not_sent'] : []), ...(account.status === 'active' ? [] : ['held_until_active'])]
}
