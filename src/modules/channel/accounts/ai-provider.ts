import { DAY_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { notifyAboutAccountIn } from './notify'
import { findAccount } from './queries'

/** Category of the price list of messages that WhatsApp bills as those of an AI provider. */
export const AI_PROVIDER = 'GENERAL_PURPOSE_AI'

/** A number is told about this often while its messages are billed so. */
const REPEATED_MS = 30 * DAY_MS

/**
 * Notifies the people who manage a number that WhatsApp billed a message of it as that of an AI
 * provider: what that means and costs, and what to do. Runs inside the caller's transaction.
 */
export function notifyAiProviderIn(tx: Tx, ctx: Ctx, { accountId }: { accountId: string }): void {
  const account = findAccount(ctx, accountId)
  if (!account || account.deletedAtMs !== null) return
  notifyAboutAccountIn(
    tx,
    ctx,
    account,
    {
      kind: 'ai_provider',
      severity: 'critical',
      title: 'WhatsApp takes this number for an AI provider',
      body:
        'It billed a message as `general_purpose_ai`. Its terms forbid assistants for any purpose ' +
        'since 15 January 2026, so the number may be restricted; an assistant that only serves ' +
        'the customers of one business is allowed. In some countries each delivered message ' +
        'without a template then has a price of its own, which the reports show once the price ' +
        'list has the category GENERAL_PURPOSE_AI. Limit the bot to your business with its ' +
        'purpose, and ask the support of WhatsApp to review the number.',
    },
    { onceSinceMs: ctx.clock.nowMs() - REPEATED_MS },
  )
}
