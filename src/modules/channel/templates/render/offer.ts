import type { TemplateComponentParameters } from '../../../../platform/send/template'
import { componentOf, type Component } from '../../../../platform/templates/components'
import type { Findings } from './values'
import { type TemplateValues } from './values'
import type { RenderedTemplate } from './rendered'

/** Fills in the expiration time of a limited-time offer. */
export function fillOffer(
  findings: Findings,
  components: readonly Component[],
  { offerExpiresAt }: TemplateValues,
): { part: TemplateComponentParameters | null; rendered: RenderedTemplate['offer'] } {
  const offer = componentOf(components, 'LIMITED_TIME_OFFER')
  const path = 'body.offer_expires_at'
  if (offer?.has_expiration !== true) {
    if (offerExpiresAt !== undefined)
      findings.refuses(path, 'cannot be used because the template has no limited-time offer')
    return {
      part: null,
      rendered: offer === undefined ? null : { text: offer.text, expires_at: null },
    }
  }
  const atMs = offerExpiresAt === undefined ? Number.NaN : Date.parse(offerExpiresAt)
  if (offerExpiresAt === undefined) findings.lacks(path, 'offer_expires_at')
  else if (Number.isNaN(atMs)) findings.refuses(path, 'must be an ISO 8601 time')
  const isGood = !Number.isNaN(atMs)
  return {
    part: isGood
      ? {
          type: 'limited_time_offer',
          parameters: [
            { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: atMs } },
          ],
        }
      : null,
    rendered: { text: offer.text, expires_at: isGood ? new Date(atMs).toISOString() : null },
  }
}
