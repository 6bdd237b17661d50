import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { messagePreview } from '../../../../platform/webhook/content'
import { filesOfTemplate } from '../../../../platform/send/template'
import type { AccountRow } from '../../../channel/accounts/view'
import type { ContactRow } from '../../contacts/view'
import { findOrOpenConversationIn } from '../../conversations/service'
import { newFlowToken, recordSentFlowIn } from '../../../channel/flows/send'
import type { Filled } from '../../../channel/templates/render/rendered'
import type { TemplateRow } from '../../../channel/templates/view'
import { MessageQueued } from '../events'
import { enqueueSendIn } from './queue'
import { templateContentOf, isSecret } from '../compose/template/fill'
import { flowOfTemplate, withFlowToken } from '../compose/template/flow-token'
import { estimateCostIn } from '../cost/estimate'
import { storeMessageIn } from '../store'
import { linkTemplateIn, templateOptions } from './template-payload'
import type { MessageRow } from '../view'

/** A campaign message with its template already filled in. */
export interface CampaignMessage {
  campaignId: string
  contact: ContactRow
  account: AccountRow
  template: TemplateRow
  filled: Filled
  /** File of the header. */
  headerMediaId: string | null
  params: Record<string, unknown>
  /** Currency of the campaign; `null` if there are no prices. */
  currency: string | null
  /** Called with the ID of the message to link it to its campaign recipient. */
  link: (messageId: string) => void
}

/**
 * Creates a campaign message and enqueues it at the campaign's gate, in the caller's transaction.
 * It does not count as an answer or as unread, and only clients that watch the contact or campaign
 * are notified (templates contract C, rule 13).
 */
export function createCampaignMessageIn(tx: Tx, ctx: Ctx, input: CampaignMessage): MessageRow {
  const { contact, account, template, filled, campaignId } = input
  const nowMs = ctx.clock.nowMs()
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId: account.id,
    assignedTo: contact.assignedTo,
  })
  const content = templateContentOf(template, filled.rendered, input.params)
  const flow = flowOfTemplate(ctx, template)
  const token = newFlowToken()
  const unsigned = { name: template.name, language: template.language, components: filled.parts }
  const toSend = flow ? withFlowToken(template, unsigned, token) : unsigned
  const row = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: contact.id,
      accountId: account.id,
      direction: 'outgoing',
      type: 'template',
      content: { ...content },
      preview: messagePreview('template', content),
      status: 'pending',
      stage: 'queued',
      source: 'campaign',
      campaignId,
      templateId: template.id,
      sendOptions: JSON.stringify(
        templateOptions(ctx, toSend, { accountId: account.id, isSecret: isSecret(template) }),
      ),
      mediaId: input.headerMediaId,
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      ...estimateCostIn(tx, ctx, {
        accountId: account.id,
        country: contact.country,
        conversation,
        category: template.category,
        currency: input.currency,
      }),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: false },
  )
  if (!row) throw new Error('message without a platform ID rejected as a repeat')
  linkTemplateIn(tx, ctx, row, { templateId: template.id, mediaIds: filesOfTemplate(toSend) })
  if (flow && JSON.stringify(toSend).includes(token))
    recordSentFlowIn(tx, ctx, { token, flowId: flow.id, accountId: account.id, messageId: row.id })
  input.link(row.id)
  enqueueSendIn(tx, ctx, row)
  emit(tx, ctx, MessageQueued, {
    contactId: contact.id,
    payload: { messageId: row.id, contactId: contact.id, campaignId },
  })
  return row
}
