import { eq } from 'drizzle-orm'

import { numberVariants } from '../../../lib/phone'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { sealAiKey } from './ai-key'
import type { ChatbotSettings } from './catalog'
import { findSettingsRow, NO_ACCOUNT, storedFields } from './effective'
import { chatbotSettings } from './table'

interface SavedChange {
  accountId: string | null
  read: Partial<ChatbotSettings>
  /** The new key; null removes it, undefined keeps it. */
  key: string | null | undefined
}

/** Writes changed settings of the organization or of a number. Runs inside the caller's transaction. */
export function saveSettingsIn(tx: Tx, ctx: Ctx, { accountId, read, key }: SavedChange): void {
  const row = findSettingsRow(ctx, accountId)
  const nowMs = ctx.clock.nowMs()
  const fields = JSON.stringify({ ...storedFields(row), ...read })
  const rowId = accountId ?? NO_ACCOUNT
  const aiApiKeySealed =
    key === undefined ? (row?.aiApiKeySealed ?? null) : key && sealAiKey(ctx, rowId, key)
  if (row === null)
    tx.insert(chatbotSettings)
      .values({
        organizationId: ctx.organizationId,
        accountId: rowId,
        fields,
        aiApiKeySealed,
        revision: ctx.ids.next(),
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .run()
  else
    tx.update(chatbotSettings)
      .set({ fields, aiApiKeySealed, revision: ctx.ids.next(), updatedAtMs: nowMs })
      .where(inOrganization(ctx, chatbotSettings, eq(chatbotSettings.accountId, rowId)))
      .run()
}

/**
 * Forgets the AI key of a number that is disconnected, in the caller's transaction. Its other settings
 * stay for the day it is connected again; AI is off then until it has a key.
 */
export function forgetKeyIn(tx: Tx, ctx: Ctx, { accountId }: { accountId: string }): void {
  if (storedFields(findSettingsRow(ctx, accountId)).ai_api_key_set !== true) return
  const read = { ai_enabled: false, ai_api_key_set: false, ai_api_key_last4: null }
  saveSettingsIn(tx, ctx, { accountId, read, key: null })
}

/** Drops the settings of a number, its AI key included. Runs inside the caller's transaction. */
export function deleteSettingsIn(tx: Tx, ctx: Ctx, { accountId }: { accountId: string }): void {
  tx.delete(chatbotSettings)
    .where(inOrganization(ctx, chatbotSettings, eq(chatbotSettings.accountId, accountId)))
    .run()
}

/**
 * Removes the numbers of an erased person from those that are never answered. Runs inside the
 * caller's transaction. Returns how many were removed.
 */
export function removeExcludedNumbersIn(tx: Tx, ctx: Ctx, numbers: readonly string[]): number {
  const row = findSettingsRow(ctx, null)
  const { excluded_numbers: excluded = [] } = storedFields(row)
  const spellings = new Set(numbers.flatMap(numberVariants))
  const kept = excluded.filter((number) => !spellings.has(number))
  if (kept.length < excluded.length)
    saveSettingsIn(tx, ctx, {
      accountId: null,
      read: { excluded_numbers: kept },
      key: undefined,
    })
  return excluded.length - kept.length
}

/**
 * Removes a former member from those who are notified of escalations. Runs inside the caller's
 * transaction.
 */
export function removeNotifiedIn(tx: Tx, ctx: Ctx, { userId }: { userId: string }): void {
  const { sla_escalation_notify_ids: notified = [] } = storedFields(findSettingsRow(ctx, null))
  if (!notified.includes(userId)) return
  saveSettingsIn(tx, ctx, {
    accountId: null,
    read: { sla_escalation_notify_ids: notified.filter((id) => id !== userId) },
    key: undefined,
  })
}
