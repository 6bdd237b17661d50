import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../../infra/ctx'
import type { EncryptedTable } from '../../../infra/keys/encrypted-columns'
import { findSettingsRow, storedFields, type SettingsRow } from './effective'
import { chatbotSettings } from './table'

/** Returns the name under which the key of a row is encrypted. */
const placeOf = (at: Pick<SettingsRow, 'organizationId' | 'accountId'>): string =>
  `${at.organizationId}/chatbot_settings/aiApiKeySealed/${at.accountId}`

/** Returns a provider's key encrypted for a row of the settings. */
export const sealAiKey = (
  { vault, organizationId }: Pick<Ctx, 'vault' | 'organizationId'>,
  accountId: string,
  key: string,
): string => vault.seal(key, placeOf({ organizationId, accountId }))

/**
 * Returns the AI provider's key that applies to a phone number, or with `null` the organization's,
 * in plain text for one call. Returns `null` if there is none.
 */
export function openAiKey(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'vault'>,
  accountId: string | null,
): string | null {
  const own = accountId === null ? null : findSettingsRow(ctx, accountId)
  const isOwn = storedFields(own).ai_api_key_set !== undefined
  const row = isOwn ? own : findSettingsRow(ctx, null)
  const sealed = row?.aiApiKeySealed ?? null
  return row === null || sealed === null ? null : ctx.vault.open(sealed, placeOf(row))
}

const BATCH = 50

/** Re-encrypts the keys of AI providers, organization by organization. */
export const sealedChatbotSettings: EncryptedTable = {
  name: 'chatbot_settings',
  reencryptIn(tx, deps, after) {
    const next = tx
      .selectDistinct({ organizationId: chatbotSettings.organizationId })
      .from(chatbotSettings)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          and(gt(chatbotSettings.organizationId, after), isNotNull(chatbotSettings.aiApiKeySealed)),
        ),
      )
      .orderBy(asc(chatbotSettings.organizationId))
      .limit(BATCH)
      .all()
    for (const { organizationId } of next) {
      const ctx = systemCtx(deps, organizationId)
      const rows = tx
        .select()
        .from(chatbotSettings)
        .where(inOrganization(ctx, chatbotSettings, isNotNull(chatbotSettings.aiApiKeySealed)))
        .all()
      for (const row of rows)
        tx.update(chatbotSettings)
          .set({ aiApiKeySealed: deps.vault.reseal(row.aiApiKeySealed ?? '', placeOf(row)) })
          .where(inOrganization(ctx, chatbotSettings, eq(chatbotSettings.accountId, row.accountId)))
          .run()
    }
    return next.length < BATCH ? null : (next.at(-1)?.organizationId ?? null)
  },
}
