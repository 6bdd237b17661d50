import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { sealedAnswers } from '../../../../infra/idempotency/reencrypt'
import { sealedJobs } from '../../../../infra/jobs/reencrypt'
import type { EncryptedTable } from '../../../../infra/keys/encrypted-columns'
import { contextHeaders } from '../../../automation/ai/contexts/headers'
import { sealedAccounts } from '../../../channel/accounts/secrets'
import { sealedUsers } from '../../../organization/auth/reencrypt'
import { sealedChatbotSettings } from '../../../automation/chatbot-settings/ai-key'
import { actionHeaders } from '../../../automation/custom-actions/headers'
import { sealedBotFlows } from '../../../automation/chatbot/bot-flows/reencrypt'
import { sealedFlows } from '../../../channel/flows/endpoint/secrets'
import { sealedMessages } from '../../../inbox/messages/reencrypt'
import { sealedArchives } from '../../../data/organization-archive/keys'
import { sealedOrganizationImports } from '../../../data/organization-import/reencrypt'
import { sealedPushKeys, sealedPushSubscriptions } from '../../../delivery/push/keys'
import { sealedWebhookEndpoints } from '../../../delivery/webhooks/secrets'

/** Every table with encrypted values. */
const TABLES: EncryptedTable[] = [
  sealedAccounts,
  contextHeaders.table,
  actionHeaders.table,
  sealedFlows,
  sealedChatbotSettings,
  sealedBotFlows,
  sealedUsers,
  sealedMessages,
  sealedJobs,
  sealedAnswers,
  sealedWebhookEndpoints,
  sealedOrganizationImports,
  sealedPushKeys,
  sealedPushSubscriptions,
  sealedArchives,
]

/** A table, and the position in it from which to continue. */
export interface SealedPlace {
  table: string
  after: string
}

/** The first position. */
export const FIRST_PLACE: SealedPlace = { table: sealedAccounts.name, after: '' }

/**
 * Encrypts some values with the present key, in the caller's transaction. Returns the next place,
 * `null` when all tables are done.
 */
export function resealSomeIn(tx: Tx, ctx: Ctx, { table, after }: SealedPlace): SealedPlace | null {
  const index = TABLES.findIndex(({ name }) => name === table)
  const beyond = TABLES[index]?.reencryptIn(tx, ctx, after) ?? null
  if (beyond !== null) return { table, after: beyond }
  const following = TABLES[index + 1]
  return following ? { table: following.name, after: '' } : null
}
