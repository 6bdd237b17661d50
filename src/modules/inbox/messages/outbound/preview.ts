import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { countryOf, maskPhone } from '../../../../lib/phone'
import { webUrl } from '../../../../lib/web-url'
import type { Ctx } from '../../../../infra/ctx'
import { addressOf, type RecipientInput } from '../../contacts/identities/resolve-recipient'
import { masksNumbers } from '../../contacts/sight/visibility'
import { currentThreadOwner, isOthersThread } from '../../conversations/thread-owner'
import { isWindowOpen } from '../../conversations/window'
import { requireSendable } from '../../../channel/flows/send'
import { isVoiceNote } from '../../../channel/media/prepare-to-send'
import { requirePermissionRequest } from '../call-permission/limit'
import { DIRECT_CATEGORY, estimateCost } from '../cost/estimate'
import { costView } from '../view'
import { buildPayload, platformIdToQuote, type Recipient, type SendContext } from './payload'
import { closedWindowWarnings } from './messaging-limit'
import { fieldsOfPath, sendPathOf } from './send-path'
import { withCardFiles } from '../compose/interactive/carousel'
import { cardFilesOf, parseMessage, withFile, type ParsedMessage } from '../compose/input'
import { flowInputOf, withFlow } from '../compose/flow'
import type { NewMessage, PreviewView } from '../compose/model'
import {
  conversationOf,
  fileOf,
  groupWarnings,
  resolveTarget,
  type ResolvedTarget,
} from './resolve-target'
import { type ParsedTemplate } from '../compose/template/read'
import { templateMessage } from '../compose/template/fill'
import { jsonUnlessEmpty } from './send-options'
import { paymentWarnings } from './unpaid'

const NO_ADDRESS: Recipient = { waId: null, phoneNumber: null, userId: null, parentUserId: null }

/** Placeholder for the Flow token, which is created when the message is sent. */
const PREVIEW_TOKEN = 'made-when-it-is-sent'

/**
 * Returns how a message would be rendered and what it would cost. Stores, fetches and sends
 * nothing. Throws as sending does, except that a closed window is reported in the result.
 */
export function previewMessage(
  ctx: Ctx,
  recipient: RecipientInput,
  input: NewMessage,
): PreviewView {
  const parsed = parseMessage(ctx, input)
  const { template } = parsed
  const flow = flowInputOf(parsed.message)
  const resolved = resolveTarget(ctx, {
    recipient,
    accountId: input.account_id,
    replyTo: input.reply_to,
    file: parsed.file,
    template: template?.row,
    flow,
  })
  requirePermissionRequest(ctx, parsed, {
    contactId: resolved.contact?.id ?? null,
    accountId: resolved.account.id,
  })
  if (resolved.flow) requireSendable(resolved.flow)
  for (const file of [parsed.file, ...cardFilesOf(parsed)])
    if (file?.url) requireHttpUrl(file.url, file.path)
  const replyTo = platformIdToQuote(ctx, resolved.quoted)
  const conversation = conversationOf(ctx, resolved)
  const isInsideWindow = isWindowOpen(conversation, ctx.clock.nowMs())
  const isDirect = parsed.isDirectAllowed && !isInsideWindow
  const cost = costView(
    estimateCost(ctx, {
      accountId: resolved.account.id,
      country: countryOfRecipient(ctx, resolved, recipient),
      conversation,
      category: template?.row.category ?? (isDirect ? DIRECT_CATEGORY : null),
    }),
  )
  const rest = {
    window_open: isInsideWindow,
    estimated_cost: cost && { amount: cost.amount, currency: cost.currency },
    warnings: [
      ...warningsOf(resolved, replyTo),
      ...groupWarnings(ctx, resolved),
      ...deliveryWarnings(ctx, resolved, {
        isTemplate: template !== null,
        isDirect,
        isInsideWindow,
      }),
    ],
  }
  const context: SendContext = {
    addressee: resolved.contact ?? unknownRecipient(ctx, recipient),
    account: resolved.account,
    replyTo,
    platformMediaId: resolved.file?.id ?? null,
    idOf: (mediaId) => mediaId,
    callbackData: null,
  }
  if (template) return { ...previewTemplate(ctx, parsed, template, { resolved, context }), ...rest }
  const { message: drafted, warnings } = withFile(parsed, resolved.file, isVoiceNote)
  const cards = cardFilesOf(parsed).map((input) => fileOf(ctx, input))
  const message = withFlow(withCardFiles(drafted, cards), resolved.flow, PREVIEW_TOKEN)
  const payload = buildPayload(
    {
      type: message.type,
      content: JSON.stringify(message.content),
      sendOptions: jsonUnlessEmpty(parsed.sendOptions),
      isDirect,
    },
    context,
  )
  return {
    rendered: { type: message.type, content: { ...message.content } },
    platform_payload: maskPayload(ctx, payload),
    platform_path: 'messages',
    ...rest,
    warnings: [...warnings, ...rest.warnings],
  }
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

/** Renders a template. A file named by URL has no ID yet. */
function previewTemplate(
  ctx: Ctx,
  parsed: ParsedMessage,
  template: ParsedTemplate,
  { resolved, context }: { resolved: ResolvedTarget; context: SendContext },
): Pick<PreviewView, 'rendered' | 'platform_payload' | 'platform_path'> {
  const cards = template.cardFiles.map((input) => fileOf(ctx, input))
  const { content, toSend } = templateMessage(template, parsed.file, {
    header: resolved.file,
    cards,
  })
  const { account } = resolved
  const path = sendPathOf(ctx, null, { account, template: template.row })
  const payload = buildPayload(
    { type: 'template', content: JSON.stringify(content), sendOptions: null, isDirect: false },
    { ...context, template: { toSend, idOf: (mediaId) => mediaId } },
  )
  return {
    rendered: { type: 'template', content: { ...content } },
    platform_payload: maskPayload(ctx, { ...payload, ...fieldsOfPath(ctx, { account, path }) }),
    platform_path: path,
  }
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
function unknownRecipient(ctx: Ctx, recipient: RecipientInput): Recipient {
  const address = addressOf(ctx, recipient)
  if (address === null) return NO_ADDRESS
  return address.kind === 'phone'
    ? { ...NO_ADDRESS, phoneNumber: address.value }
    : { ...NO_ADDRESS, userId: address.value }
}

/** Warns of what keeps the message from the recipient, or from its thread. */
function deliveryWarnings(
  ctx: Ctx,
  resolved: ResolvedTarget,
  is: { isTemplate: boolean; isDirect: boolean; isInsideWindow: boolean },
): string[] {
  const { account } = resolved
  const contactId = resolved.contact?.id ?? null
  const nowMs = ctx.clock.nowMs()
  const isCharged = is.isTemplate || is.isDirect
  return [
    ...paymentWarnings(ctx, account, { isCharged, contactId }),
    ...(isCharged ? [] : threadWarnings(ctx, resolved)),
    ...(is.isDirect && account.directRefusedAtMs !== null ? ['direct_send_refused'] : []),
    ...(isCharged && !is.isInsideWindow
      ? closedWindowWarnings(ctx, account, { contactId, nowMs })
      : []),
  ]
}

function warningsOf({ account, quoted }: ResolvedTarget, replyTo: string | null): string[] {
  return [
    ...(quoted && replyTo === null ? ['quote_not_sent'] : []),
    ...(account.status === 'active' ? [] : ['held_until_active']),
  ]
}

/** Warns that the message would take the thread away from its owner. */
function threadWarnings(ctx: Ctx, resolved: ResolvedTarget): string[] {
  const conversation = conversationOf(ctx, resolved)
  return conversation && isOthersThread(currentThreadOwner(ctx, conversation))
    ? ['thread_not_ours']
    : []
}
