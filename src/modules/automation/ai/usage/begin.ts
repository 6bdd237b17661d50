import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { aiUsage } from '../table'
import type { ProviderTarget } from './breaker'
import { addToDayIn } from './days'
import type { UsageRow } from './reserve'

/**
 * Records that the call to the provider begins. A call that had begun before was interrupted: it
 * gets a row of its own with its estimated tokens, because the provider may have answered it. The
 * settings may name another model since the budget was reserved.
 */
export function beginCall(ctx: Ctx, callId: string, { provider, model }: ProviderTarget): void {
  transact(
    ctx.db,
    (tx) => {
      const row = tx
        .select()
        .from(aiUsage)
        .where(inOrganization(ctx, aiUsage, eq(aiUsage.id, callId)))
        .get()
      if (!row) return
      if (row.settledAtMs !== null) reopenIn(tx, ctx, row)
      else if (row.startedAtMs !== null) countInterruptedIn(tx, ctx, row)
      changeIn(tx, ctx, callId, { provider, model, startedAtMs: ctx.clock.nowMs() })
    },
    { wakes: false },
  )
}

function changeIn(tx: Tx, ctx: Ctx, callId: string, set: Partial<UsageRow>): void {
  tx.update(aiUsage)
    .set(set)
    .where(inOrganization(ctx, aiUsage, eq(aiUsage.id, callId)))
    .run()
}

function countInterruptedIn(tx: Tx, ctx: Ctx, row: UsageRow): void {
  const { reservedTokens: inputTokens, reservedMicros: costMicros } = row
  tx.insert(aiUsage)
    .values({
      ...row,
      id: ctx.ids.next(),
      inputTokens,
      costMicros,
      outcome: 'unknown',
      settledAtMs: ctx.clock.nowMs(),
    })
    .run()
  addToDayIn(tx, ctx, row.day, { requests: 1, failed: 1, inputTokens, costMicros })
}

/**
 * Opens a call again that was settled as forgotten while its job waited. Nothing is held back for
 * it any more. If it had begun, its row stays under another ID.
 */
function reopenIn(tx: Tx, ctx: Ctx, row: UsageRow): void {
  const open = { outcome: null, settledAtMs: null, reservedTokens: 0, reservedMicros: 0 }
  const none = { inputTokens: 0, outputTokens: 0, costMicros: null }
  if (row.outcome === 'not_called') changeIn(tx, ctx, row.id, open)
  if (row.outcome !== 'unknown') return
  changeIn(tx, ctx, row.id, { id: ctx.ids.next() })
  tx.insert(aiUsage)
    .values({ ...row, ...open, ...none })
    .run()
}
