import { countryOf } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { objectOf, wordOf } from '../../../platform/lenient-json'
import { buildTemplate } from '../../../platform/send/template'
import { componentOf } from '../../../platform/templates/components'
import type { ContactRow } from '../../inbox/contacts/view'
import { getVisibleContact } from '../../inbox/contacts/sight/visibility'
import { findConversation } from '../../inbox/conversations/service'
import { isWindowOpen } from '../../inbox/conversations/window'
import { estimateOf } from '../prices/lookup'
import { fillTemplate } from './render/render'
import type { HeaderFile } from './render/values'
import type { TemplatePreview, TemplatePreviewInput } from './preview-model'
import { sentTemplateOf } from './view'
import { requireTemplate } from './queries'
import { sentComponentsOf, sentHeaderFileOf, type TemplateRow } from './view'

/**
 * Renders a template with the given values: what the customer sees, the platform payload and the
 * estimated cost. Missing values are listed; nothing is sent. Throws NotFoundError, also for a
 * contact the caller cannot see.
 */
export function previewTemplate(
  ctx: Ctx,
  id: string,
  input: TemplatePreviewInput,
): TemplatePreview {
  const row = requireTemplate(ctx, id)
  const contact = input.contact_id === undefined ? null : getVisibleContact(ctx, input.contact_id)
  const file = (mediaId: string | null | undefined): HeaderFile | null =>
    mediaId ? { mediaId, filename: null } : null
  const cards = componentOf(sentComponentsOf(row), 'CAROUSEL')?.cards ?? []
  const filled = fillTemplate(sentTemplateOf(row), {
    body: input.template_params,
    header: input.header_params,
    buttons: input.button_params,
    flow: input.flow_params,
    offerExpiresAt: input.offer_expires_at,
    file: file(input.header_media_id ?? sentHeaderFileOf(row)),
    cards: cards.map((card, index) => {
      const header = componentOf(card.components, 'HEADER')
      const given = input.cards?.[index]
      return {
        body: objectOf(given?.['template_params']),
        header: objectOf(given?.['header_params']),
        buttons: objectOf(given?.['button_params']),
        file: file(
          wordOf(given?.['header_media_id']) ??
            (header && 'media_id' in header ? header.media_id : null),
        ),
      }
    }),
  })
  const { rendered, findings } = filled
  return {
    header: rendered.header,
    body: rendered.body,
    footer: rendered.footer,
    buttons: rendered.buttons.map((button) => ({ ...button })),
    cards: rendered.cards.map((card) => ({ ...card })),
    missing: findings.missing.map(({ label }) => label),
    problems: findings.problems,
    platform_payload: buildTemplate(
      { name: row.name, language: row.language, components: filled.parts },
      (mediaId) => mediaId,
    ),
    estimated_cost: contact && estimateCost(ctx, row, contact),
  }
}

/** Returns the estimated cost of sending to a contact now from the phone number of the template. */
function estimateCost(
  ctx: Ctx,
  { category, accountId }: TemplateRow,
  contact: ContactRow,
): TemplatePreview['estimated_cost'] {
  const atMs = ctx.clock.nowMs()
  const number = contact.waId ?? contact.phoneNumber
  const country = number === null ? null : countryOf(number)
  const isInsideWindow = isWindowOpen(
    findConversation(ctx, { contactId: contact.id, accountId }),
    atMs,
  )
  return estimateOf(ctx, { country, category, atMs, isInsideWindow })
}
