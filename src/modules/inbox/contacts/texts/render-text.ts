import { languageOfCountry } from '../../../../lib/by-language'
import type { Ctx } from '../../../../infra/ctx'
import { getOrganization } from '../../../organization/organizations/service'
import { organizationLanguage } from '../../../organization/memberships/founder'
import { botContact } from './bot-contact'
import { builtInValues } from './template-values'
import type { ContactRow } from '../view'

/**
 * Returns a text of the settings for a contact, who may just have said something; `null` if it is
 * blank or cannot be rendered.
 */
export function renderSettingText(
  ctx: Ctx,
  contact: ContactRow,
  text: string,
  said: string | null = null,
): string | null {
  const seen = botContact(ctx, contact)
  const values = builtInValues(seen, { text: said, nowMs: ctx.clock.nowMs() })
  const { timezone } = getOrganization(ctx)
  const language = seen.language ?? languageOfCountry(seen.country) ?? organizationLanguage(ctx)
  const rendered = ctx.liquid.renderTemplate(text, { values, timezone, language }, 'text')
  return rendered.ok && rendered.text.trim() !== '' ? rendered.text : null
}
