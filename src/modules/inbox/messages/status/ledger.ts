import { sql } from 'drizzle-orm'
import { type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { isKnownStatus } from '../rules'
import { messageStatuses } from './table'
import type { MessageRow } from '../view'

const upsertStatus = compiled((orm) =>
  orm
    .insert(messageStatuses)
    .values({
      organizationId: sql.placeholder('organizationId'),
      accountId: sql.placeholder('accountId'),
      waMessageId: sql.placeholder('waMessageId'),
      status: sql.placeholder('status'),
      participant: sql.placeholder('participant'),
      timestampMs: sql.placeholder('timestampMs'),
      receivedAtMs: sql.placeholder('receivedAtMs'),
      errors: sql.placeholder('errors'),
      pricing: sql.placeholder('pricing'),
      templateId: sql.placeholder('templateId'),
    })
    .onConflictDoUpdate({
      target: [
        messageStatuses.organizationId,
        messageStatuses.accountId,
        messageStatuses.waMessageId,
        messageStatuses.status,
        messageStatuses.participant,
      ],
      // Repeats keep the earliest time, and of equal times the smaller text, so that the order of
      // arrival never matters.
      set: {
        errors: sql`case when excluded.timestamp_ms < ${messageStatuses.timestampMs} then excluded.errors when excluded.timestamp_ms = ${messageStatuses.timestampMs} then min(excluded.errors, ${messageStatuses.errors}) else ${messageStatuses.errors} end`,
        pricing: sql`case when ${messageStatuses.pricing} is null then excluded.pricing when excluded.pricing is null then ${messageStatuses.pricing} else min(excluded.pricing, ${messageStatuses.pricing}) end`,
        templateId: sql`case when ${messageStatuses.templateId} is null then excluded.template_id when excluded.template_id is null then ${messageStatuses.templateId} else min(excluded.template_id, ${messageStatuses.templateId}) end`,
        timestampMs: sql`min(excluded.timestamp_ms, ${messageStatuses.timestampMs})`,
      },
    })
    .prepare(),
)

/**
 * Records a platform status without updating the message, in the caller's transaction. Call
 * `deriveStatusIn` afterwards.
 */
export function recordStatusIn(
  tx: Tx,
  ctx: Ctx,
  fact: Omit<typeof messageStatuses.$inferInsert, 'organizationId'>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  upsertStatus(ctx.db).run({
    organizationId: ctx.organizationId,
    participant: '',
    errors: '[]',
    pricing: null,
    templateId: null,
    ...fact,
  })
}

/** Stores a message status from the send response that is no delivery status. */
export function recordAcceptanceNoteIn(tx: Tx, ctx: Ctx, row: MessageRow, note: string): void {
  const nowMs = ctx.clock.nowMs()
  if (row.waMessageId === null || isKnownStatus(note)) return
  const { accountId, waMessageId } = row
  recordStatusIn(tx, ctx, {
    accountId,
    waMessageId,
    status: note,
    timestampMs: nowMs,
    receivedAtMs: nowMs,
  })
}
