import { isoTime } from '../../../lib/clock'
import { derivedId } from '../../../lib/ids'
import { maskPhone } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
import { getOrganization } from '../../organization/organizations/service'
import type { ChatbotSettings } from './catalog'
import { effectiveSettings, findSettingsRow, numbersThatDiffer, storedFields } from './effective'
import { hoursWarnings } from './hours/warnings'
import { humanPathWarnings } from './human-path'
import type { ChatbotSettingsView } from './model'

/** Returns the ID of an organization's settings, or of those of a phone number. */
export const settingsId = (organizationId: string, accountId: string | null): string =>
  derivedId(organizationId, `chatbot-settings/${accountId ?? ''}`)

/** Fields of the API that stand for stored ones. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  ai_api_key_set: 'ai_api_key',
  ai_api_key_last4: 'ai_api_key',
  ai_data_terms: 'ai_data_terms_confirmed',
}

/** Returns the names of stored fields as requests write them. */
const fieldNames = (stored: Partial<ChatbotSettings>): string[] =>
  [...new Set(Object.keys(stored).map((field) => SHOWN_AS[field] ?? field))].toSorted()

/** Returns the IDs of the phone numbers with a setting of their own. */
const differing = (ctx: Ctx): string[] =>
  numbersThatDiffer(ctx)
    .filter(({ stored }) => Object.keys(stored).length > 0)
    .map(({ id }) => id)

/** Returns the settings of an organization or a phone number as the API shows them, without figures. */
export function settingsView(
  ctx: Ctx,
  accountId: string | null,
): Omit<ChatbotSettingsView, 'stats' | 'works_with'> {
  const effective = effectiveSettings(ctx, accountId)
  const { ai_data_terms: terms, ...settings } = effective
  const row = findSettingsRow(ctx, accountId)
  return {
    ...settings,
    id: settingsId(ctx.organizationId, accountId),
    account_id: accountId,
    overridden: accountId === null ? [] : fieldNames(storedFields(row)),
    excluded_numbers: masksNumbers(ctx)
      ? settings.excluded_numbers.map(maskPhone)
      : settings.excluded_numbers,
    ai_data_terms_confirmed: terms !== null,
    ai_data_terms: { confirmed: terms !== null, at: terms?.at ?? null, by: terms?.by ?? null },
    numbers_with_own_settings: accountId === null ? differing(ctx) : [],
    updated_at: isoTime(row?.updatedAtMs ?? getOrganization(ctx).createdAtMs),
    warnings: [...humanPathWarnings(ctx, accountId, effective), ...hoursWarnings(ctx, accountId)],
  }
}
