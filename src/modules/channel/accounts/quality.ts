import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { accountQuality } from './table'
import type { AccountRow } from './view'

/** The columns that have a history. */
type Measured = Pick<
  AccountRow,
  'qualityRating' | 'messagingLimitTier' | 'throughputLevel' | 'status'
>

/**
 * Records changes of quality, messaging limit, throughput and status in the history of a number.
 */
export function recordQualityIn(
  tx: Tx,
  ctx: Ctx,
  before: Measured & Pick<AccountRow, 'id'>,
  after: Measured,
  atMs: number,
): void {
  const moves = [
    ['quality', before.qualityRating, after.qualityRating],
    ['limit', before.messagingLimitTier, after.messagingLimitTier],
    ['throughput', before.throughputLevel, after.throughputLevel],
    ['status', before.status, after.status],
  ] as const
  for (const [kind, from, to] of moves)
    if (from !== to)
      tx.insert(accountQuality)
        .values({
          organizationId: ctx.organizationId,
          id: ctx.ids.next(),
          accountId: before.id,
          kind,
          before: from,
          after: to,
          atMs,
        })
        .run()
}
