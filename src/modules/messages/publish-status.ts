import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { runHooks } from '../../infra/transaction-hooks'
import { emit } from '../../infra/outbox/events'
import { campaignSends } from '../campaigns/table'
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
        eq(campaignSends.messageId, sql.placeholder('messageId')),
      ),
    )
    .prepare(),
)

/** The campaign a message was made for, if it was for one. */
export const campaignOf = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  messageId: string,
): string | undefined =>
  campaignByMessage(ctx.db).get({ organizationId: ctx.organizationId, messageId })?.campaignId

/** Tells that the status of a message of ours moved. */
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

/**
 * Lets happen what follows when something about a message of ours changed, once its row is written.
 */
export const runMessageMovedHooks = (
  tx: Tx,
  ctx: Ctx,
  row: Pick<MessageRow, 'id' | 'source' | 'type'>,
): void =>
  runHooks(tx, ctx, MessageMoved, { messageId: row.id, source: row.source, type: row.type })
