import { eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { emit } from '../../../infra/outbox/events'
import { campaignSends } from '../../outreach/campaigns/table'
import { MessageMoved, MessageStatusChanged } from './events'
import type { MessageRow } from './view'

const campaignByMessage = compiled((orm) =>
  orm
    .select({ campaignId: campaignSends.campaignId })
    .from(campaignSends)
    .where(
      inOrganization(
        anyScope,
        campaignSends,
        eq(campaignSends.messageId, place(campaignSends.messageId, 'messageId')),
      ),
    )
    .prepare(),
)

/** Returns the campaign of a message, if it has one. */
export const campaignOf = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  messageId: string,
): string | undefined =>
  campaignByMessage(ctx.db).get({ organizationId: ctx.organizationId, messageId })?.campaignId

/** Publishes a status change of an outgoing message. */
export function publishStatusIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  to: { status: string; timestampMs: number },
): void {
  const campaignId = row.source === 'campaign' ? campaignOf(ctx, row.id) : undefined
  emit(tx, ctx, MessageStatusChanged, {
    contactId: row.contactId,
    payload: {
      messageId: row.id,
      contactId: row.contactId,
      status: to.status,
      previousStatus: row.status,
      timestampMs: to.timestampMs,
      ...(campaignId === undefined ? {} : { campaignId }),
    },
  })
}

/** Runs the hooks of a changed outgoing message. Call it after its row is written. */
export const runMessageMovedHooks = (
  tx: Tx,
  ctx: Ctx,
  { id, source, type, isDirect }: Pick<MessageRow, 'id' | 'source' | 'type' | 'isDirect'>,
  isAccepted = false,
): void =>
  runHooks(tx, ctx, MessageMoved, {
    messageId: id,
    source,
    isBusinessInitiated: type === 'template' || isDirect,
    isAccepted,
  })
