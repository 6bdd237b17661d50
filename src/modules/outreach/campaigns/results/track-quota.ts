import { eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { findAccount } from '../../../channel/accounts/queries'
import { WINDOW_MS } from '../../../inbox/contacts/view'
import { findConversation } from '../../../inbox/conversations/service'
import { notifyQuotaIn } from '../../../inbox/messages/outbound/messaging-limit'
import { messages } from '../../../inbox/messages/table'
import { recordReachIn } from '../run/quota'

const messageById = compiled((orm) =>
  orm
    .select({
      contactId: messages.contactId,
      accountId: messages.accountId,
      acceptedAtMs: messages.acceptedAtMs,
      status: messages.status,
    })
    .from(messages)
    .where(inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))))
    .prepare(),
)

/**
 * Records that a message was accepted outside the 24-hour window, which counts toward the
 * portfolio's messaging limit. Applies to all messages, not only to campaigns, and whatever was
 * reported of them before.
 */
export function trackReachIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, source }: { messageId: string; source: string },
): void {
  const message = messageById(ctx.db).get({ organizationId: ctx.organizationId, id: messageId })
  if (!message || message.status === 'failed' || message.acceptedAtMs === null) return
  const account = findAccount(ctx, message.accountId)
  const lastInboundAtMs =
    findConversation(ctx, { contactId: message.contactId, accountId: message.accountId })
      ?.lastInboundAtMs ?? null
  if (!account || (lastInboundAtMs !== null && message.acceptedAtMs - lastInboundAtMs < WINDOW_MS))
    return
  recordReachIn(tx, ctx, { account, contactId: message.contactId, atMs: message.acceptedAtMs })
  // Campaigns notify users themselves, and pause.
  if (source !== 'campaign') notifyQuotaIn(tx, ctx, account)
}
