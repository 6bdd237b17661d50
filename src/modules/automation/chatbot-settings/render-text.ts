import { languageOfCountry } from '../../../lib/by-language'
import type { Ctx } from '../../../infra/ctx'
import { builtInValues } from '../../inbox/contacts/template-values'
import type { ContactRow } from '../../inbox/contacts/view'
import { getOrganization } from '../../organization/organizations/service'
import { founderLanguage } from '../../organization/memberships/founder'
import { botContact } from './bot-contact'

/** Returns a text of the settings for a contact; `null` if it is blank or cannot be rendered. */
export function renderSettingText(ctx: Ctx, contact: ContactRow, text: string): string | null {
  const seen = botContact(ctx, contact)
  const values = builtInValues(seen, { text: null, nowMs: ctx.clock.nowMs() })
  const { timezone } = getOrganization(ctx)
  const language = seen.language ?? languageOfCountry(seen.country) ?? founderLanguage(ctx)
  const rendered = ctx.liquid.renderTemplate(text, { values, timezone, language }, 'text')
  return rendered.ok && rendered.text.trim() !== '' ? rendered.text : null
}
