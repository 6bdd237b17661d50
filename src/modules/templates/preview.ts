import { countryOf } from '../../lib/phone'
import type { Ctx } from '../../infra/ctx'
import { objectOf, wordOf } from '../../platform/lenient-json'
import { buildTemplate } from '../../platform/send/template'
import { componentOf } from '../../platform/templates/components'
import type { ContactRow } from '../contacts/view'
import { getVisibleContact } from '../contacts/visibility'
import { findConversation } from '../conversations/service'
import { isWindowOpen } from '../conversations/window'
import { estimateOf } from '../prices/lookup'
import { fillTemplate } from './render/render'
import type { HeaderFile } from './render/values'
import type { TemplatePreview, TemplatePreviewInput } from './model'
import { fillableOf, templateOf } from './state'
import { sentComponentsOf, sentHeaderFileOf, type TemplateRow } from './view'

/**
 * A template as the customer would see it with these values, and what the platform would be told;
 * what is missing is listed, and nothing is sent. Throws NotFoundError, also for a contact out of
 * sight.
 */
export function previewTemplate(
  ctx: Ctx,
  id: string,
  asked: TemplatePreviewInput,
): TemplatePreview {
  const row = templateOf(ctx, id)
  const contact = asked.contact_id === undefined ? null : getVisibleContact(ctx, asked.contact_id)
  const file = (mediaId: string | null | undefined): HeaderFile | null =>
    mediaId ? { mediaId, filename: null } : null
  const cards = componentOf(sentComponentsOf(row), 'CAROUSEL')?.cards ?? []
  const filled = fillTemplate(fillableOf(row), {
    body: asked.template_params,
    header: asked.header_params,
    buttons: asked.button_params,
    flow: asked.flow_params,
    offerExpiresAt: asked.offer_expires_at,
    file: file(asked.header_media_id ?? sentHeaderFileOf(row)),
    cards: cards.map((card, index) => {
      const header = componentOf(card.components, 'HEADER')
      const given = asked.cards?.[index]
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
    estimated_cost: contact && costFor(ctx, row, contact),
  }
}

/** What the template costs to a contact now, sent from the number it was made for. */
function costFor(
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
