import { fieldSentence, InvalidError } from '../../../lib/errors'
import { countryOf, maskPhone } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { addressOf, type RecipientInput } from '../../contacts/resolve-recipient'
import { masksNumbers } from '../../contacts/visibility'
import { isWindowOpen } from '../../conversations/window'
import { requireSendable } from '../../flows/send'
import { isVoiceNote } from '../../media/prepare-to-send'
import { estimateOf } from '../../prices/lookup'
import { buildPayload, platformIdToQuote, type Recipient, type SendContext } from './payload'
import { outsideWarnings } from './messaging-limit'
import { parseMessage, withFile, type ParsedMessage } from '../compose/input'
import { flowAskedOf, withFlow } from '../compose/flow'
import type { NewMessage, PreviewView } from '../compose/model'
import {
  conversationOf,
  fileOf,
  groupWarnings,
  resolveTarget,
  type ResolvedTarget,
} from './resolve-target'
import { type TemplateDraft } from '../compose/template/read'
import { templateMessage } from '../compose/template/fill'

const NOBODY: Recipient = { waId: null, phoneNumber: null, userId: null, parentUserId: null }

/** Stands for the token a form gets when it is sent. */
const TOKEN_TO_COME = 'made-when-it-is-sent'

/**
 * What a message would look like and come to. Nothing is stored, fetched or sent; a file named by
 * its address stays nameless here. Throws as sending does, but for a closed window, which it tells.
 */
export function previewMessage(ctx: Ctx, whom: RecipientInput, input: NewMessage): PreviewView {
  const draft = parseMessage(ctx, input)
  const { template } = draft
  const flow = flowAskedOf(draft.message)
  const passage = resolveTarget(ctx, {
    whom,
    accountId: input.account_id,
    replyTo: input.reply_to,
    file: draft.file,
    template: template?.row,
    flow,
  })
  if (passage.flow) requireSendable(passage.flow)
  for (const file of [draft.file, ...(template?.cardFiles ?? [])])
    if (file?.url) refuseOddAddress(file.url, file.path)
  const replyTo = platformIdToQuote(ctx, passage.quoted)
  const nowMs = ctx.clock.nowMs()
  const isInsideWindow = isWindowOpen(conversationOf(ctx, passage), nowMs)
  const rest = {
    window_open: isInsideWindow,
    estimated_cost:
      template &&
      estimateOf(ctx, {
        country: countryOfRecipient(ctx, passage, whom),
        category: template.row.category,
        atMs: nowMs,
        isInsideWindow,
      }),
    warnings: [
      ...warningsOf(passage, replyTo),
      ...groupWarnings(ctx, passage),
      ...(template && !isInsideWindow
        ? outsideWarnings(ctx, passage.account, { contactId: passage.contact?.id ?? null, nowMs })
        : []),
    ],
  }
  const moment: SendContext = {
    addressee: passage.contact ?? strangerOf(ctx, whom),
    replyTo,
    platformMediaId: passage.file?.id ?? null,
    callbackData: null,
  }
  if (template) return { ...previewTemplate(ctx, draft, template, { passage, moment }), ...rest }
  const { message: drafted, warnings } = withFile(draft, passage.file, isVoiceNote)
  const message = withFlow(drafted, passage.flow, TOKEN_TO_COME)
  const payload = buildPayload(
    {
      type: message.type,
      content: JSON.stringify(message.content),
      sendOptions: JSON.stringify(draft.sendOptions),
    },
    moment,
  )
  return {
    rendered: { type: message.type, content: { ...message.content } },
    platform_payload: shownPayload(ctx, payload),
    ...rest,
    warnings: [...warnings, ...rest.warnings],
  }
}

/**
 * The country of whom it goes to: of the number, else of the user id, which begins with it; `null`
 * when neither tells.
 */
function countryOfRecipient(
  ctx: Ctx,
  { contact }: ResolvedTarget,
  whom: RecipientInput,
): string | null {
  const { waId, phoneNumber, userId } = contact ?? strangerOf(ctx, whom)
  const digits = waId ?? phoneNumber
  return (digits === null ? userId?.slice(0, 2) : countryOf(digits)) ?? null
}

/** A template filled in; a file that is still to be fetched has no id. */
function previewTemplate(
  ctx: Ctx,
  draft: ParsedMessage,
  template: TemplateDraft,
  { passage, moment }: { passage: ResolvedTarget; moment: SendContext },
): Pick<PreviewView, 'rendered' | 'platform_payload'> {
  const cards = template.cardFiles.map((asked) => fileOf(ctx, asked))
  const { content, toSend } = templateMessage(template, draft.file, { header: passage.file, cards })
  const payload = buildPayload(
    { type: 'template', content: JSON.stringify(content), sendOptions: '{}' },
    { ...moment, template: { toSend, idOf: (mediaId) => mediaId } },
  )
  return {
    rendered: { type: 'template', content: { ...content } },
    platform_payload: shownPayload(ctx, payload),
  }
}

/** A payload as the caller may see it: without the number where numbers are hidden. */
function shownPayload(ctx: Ctx, payload: Record<string, unknown>): Record<string, unknown> {
  const { to } = payload
  return typeof to === 'string' && masksNumbers(ctx) ? { ...payload, to: maskPhone(to) } : payload
}

/** What of an address can be judged without asking anybody. */
function refuseOddAddress(url: string, path: string): void {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return
  const message = 'must begin with http:// or https://'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'media_url_refused',
    errors: [{ path, message }],
  })
}

/** The address of somebody who is no contact yet. */
function strangerOf(ctx: Ctx, whom: RecipientInput): Recipient {
  const address = addressOf(ctx, whom)
  if (address === null) return NOBODY
  return address.kind === 'phone'
    ? { ...NOBODY, phoneNumber: address.value }
    : { ...NOBODY, userId: address.value }
}

function warningsOf({ account, quoted }: ResolvedTarget, replyTo: string | null): string[] {
  return [
    ...(quoted && replyTo === null ? ['quote_not_sent'] : []),
    ...(account.status === 'active' ? [] : ['held_until_active']),
  ]
}
