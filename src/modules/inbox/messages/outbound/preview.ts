import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { countryOf, maskPhone } from '../../../../lib/phone'
import { webUrl } from '../../../../lib/web-url'
import type { Ctx } from '../../../../infra/ctx'
import { addressOf, type RecipientInput } from '../../contacts/identities/resolve-recipient'
import { masksNumbers } from '../../contacts/sight/visibility'
import { currentThreadOwner, isOthersThread } from '../../conversations/thread-owner'
import { isWindowOpen } from '../../conversations/window'
import { DIRECT_CATEGORY, estimateCost } from '../cost/estimate'
import { costView, type MessageRow } from '../view'
import {
  buildPayload,
  platformIdToQuote,
  type PayloadRecipient,
  type SendableRow,
  type SendContext,
} from './payload'
import { fieldsOfPath, sendPathOf } from './send-path'
import { cardFilesOf, parseMessage } from '../compose/input'
import type { NewMessage, PreviewView } from '../compose/model'
import { NO_ATTACHED_FILES } from './attached-files'
import { prepareMessage, targetOf, warningsOf } from './create'
import { conversationOf, type ResolvedTarget } from './resolve-target'
import { templateToSend } from './template-payload'
import { jsonUnlessEmpty } from './send-options'

const NO_ADDRESS: PayloadRecipient = {
  waId: null,
  phoneNumber: null,
  userId: null,
  parentUserId: null,
}

/** Placeholder for the Flow token, which is created when the message is sent. */
const PREVIEW_TOKEN = 'made-when-it-is-sent'

/**
 * Returns how a message would be rendered and what it would cost. Stores, fetches and sends
 * nothing. Throws as sending does, except that a closed window and a thread of somebody else are
 * reported in the result.
 */
export function previewMessage(
  ctx: Ctx,
  recipient: RecipientInput,
  input: NewMessage,
): PreviewView {
  const parsed = parseMessage(ctx, input)
  const { resolved, filled, isDirect } = prepareMessage(
    ctx,
    { parsed, target: targetOf(recipient, input, parsed), stored: NO_ATTACHED_FILES },
    { isLater: true, token: PREVIEW_TOKEN },
  )
  for (const file of [parsed.file, ...cardFilesOf(parsed)])
    if (file?.url) requireHttpUrl(file.url, file.path)
  const { account } = resolved
  const { type, content } = filled.message
  const template = parsed.template?.row ?? null
  const conversation = conversationOf(ctx, resolved)
  const cost = costView(
    estimateCost(ctx, {
      accountId: account.id,
      country: countryOfRecipient(ctx, resolved, recipient),
      conversation,
      category: template?.category ?? (isDirect ? DIRECT_CATEGORY : null),
    }),
  )
  const replyTo = platformIdToQuote(ctx, resolved.quoted)
  const path = sendPathOf(ctx, null, { account, template })
  const payload = payloadOf(
    ctx,
    {
      ...{ accountId: account.id, type, content: JSON.stringify(content), isDirect },
      sendOptions: jsonUnlessEmpty(filled.sendOptions),
    },
    {
      addressee: resolved.contact ?? unknownRecipient(ctx, recipient),
      account,
      replyTo,
      platformMediaId: resolved.file?.id ?? null,
      idOf: (mediaId) => mediaId,
      callbackData: null,
    },
  )
  return {
    rendered: { type, content: { ...content } },
    platform_payload: maskPayload(ctx, { ...payload, ...fieldsOfPath(ctx, { account, path }) }),
    platform_path: path,
    window_open: isWindowOpen(conversation, ctx.clock.nowMs()),
    estimated_cost: cost && { amount: cost.amount, currency: cost.currency },
    warnings: [
      ...filled.warnings,
      ...(resolved.quoted && replyTo === null ? ['quote_not_sent'] : []),
      ...momentWarnings(ctx, resolved, { isDirect, isCharged: template !== null || isDirect }),
    ],
  }
}

/** Builds the payload as the send job does from the stored message. */
function payloadOf(
  ctx: Ctx,
  row: SendableRow & Pick<MessageRow, 'accountId'>,
  context: SendContext,
): Record<string, unknown> {
  const toSend = templateToSend(ctx, row)
  const template = toSend && { toSend, idOf: context.idOf }
  return buildPayload(row, { ...context, ...(template ? { template } : {}) })
}

/**
 * Country of the recipient: from the phone number, otherwise from the user ID, which begins with
 * it; `null` if unknown.
 */
function countryOfRecipient(
  ctx: Ctx,
  { contact }: ResolvedTarget,
  recipient: RecipientInput,
): string | null {
  const { waId, phoneNumber, userId } = contact ?? unknownRecipient(ctx, recipient)
  const digits = waId ?? phoneNumber
  return (digits === null ? userId?.slice(0, 2) : countryOf(digits)) ?? null
}

/** Masks the recipient's number in a payload if the caller sees masked numbers. */
function maskPayload(ctx: Ctx, payload: Record<string, unknown>): Record<string, unknown> {
  const { to } = payload
  return typeof to === 'string' && masksNumbers(ctx) ? { ...payload, to: maskPhone(to) } : payload
}

/** Rejects URLs with another protocol than http or https. */
function requireHttpUrl(url: string, path: string): void {
  if (webUrl(url) !== null) return
  const message = 'must begin with http:// or https://'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'media_url_refused',
    errors: [{ path, message }],
  })
}

/** The recipient's address if no contact exists yet. */
function unknownRecipient(ctx: Ctx, recipient: RecipientInput): PayloadRecipient {
  const address = addressOf(ctx, recipient)
  if (address === null) return NO_ADDRESS
  return address.kind === 'phone'
    ? { ...NO_ADDRESS, phoneNumber: address.value }
    : { ...NO_ADDRESS, userId: address.value }
}

/** Warns of what the message would meet now: also of what does not keep it from being stored. */
function momentWarnings(
  ctx: Ctx,
  resolved: ResolvedTarget,
  { isDirect, isCharged }: { isDirect: boolean; isCharged: boolean },
): string[] {
  const { account, contact } = resolved
  const conversation = conversationOf(ctx, resolved)
  const isOthers =
    !isCharged && conversation && isOthersThread(currentThreadOwner(ctx, conversation))
  return [
    ...(account.status === 'active' ? [] : ['held_until_active']),
    ...warningsOf(ctx, resolved, { contactId: contact?.id ?? null, isCharged }),
    ...(isOthers ? ['thread_not_ours'] : []),
    ...(isDirect && account.directRefusedAtMs !== null ? ['direct_send_refused'] : []),
  ]
}
