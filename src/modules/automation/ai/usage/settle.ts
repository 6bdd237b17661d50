import { and, asc, eq, isNull, lt } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { onCommit, transact, type Tx } from '../../../../infra/db/transact'
import type { ProviderAnswer } from '../provider/call'
import { aiUsage } from '../table'
import { clearFailuresIn, countFailureIn, type ProviderTarget } from './breaker'
import { addToDayIn } from './days'
import type { UsageRow } from './reserve'
import { costOf, type Prices, type TokenCounts } from './rules'

/** How a call ended. */
export type UsageOutcome = NonNullable<UsageRow['outcome']>

interface EndedCall {
  callId: string
  /** Where it went; `null` if no call was made. */
  target: ProviderTarget | null
  prices: Prices
  result: ProviderAnswer & { durationMs: number }
  outcome: UsageOutcome
}

/**
 * Settles a call with the provider's token counts, in the caller's transaction. One whose time was
 * over counts with its estimate, because the provider may have answered it. Returns `false` if it is
 * settled already or unknown.
 */
export function settleIn(
  tx: Tx,
  ctx: Ctx,
  { callId, target, prices, result, outcome }: EndedCall,
): boolean {
  const row = openCallIn(tx, ctx, callId)
  if (row === null) return false
  const isFailed = result.kind === 'failed'
  writeOutcomeIn(tx, ctx, row, {
    outcome,
    ...usedBy(row, result, prices),
    durationMs: result.durationMs,
    errorKind: isFailed ? result.failure.kind : null,
    httpStatus: isFailed ? result.failure.status : null,
  })
  if (target === null) return true
  if (!isFailed) clearFailuresIn(tx, ctx, target)
  else if (row.purpose !== 'test') countFailureIn(tx, ctx, target)
  return true
}

function usedBy(
  { reservedTokens, reservedMicros }: UsageRow,
  result: ProviderAnswer,
  prices: Prices,
): TokenCounts & { costMicros: number | null } {
  if (result.kind === 'answered') {
    const { inputTokens, outputTokens } = result
    return { inputTokens, outputTokens, costMicros: costOf(prices, result) }
  }
  const isUnknown = result.failure.kind === 'timeout'
  return {
    inputTokens: isUnknown ? reservedTokens : 0,
    outputTokens: 0,
    costMicros: isUnknown ? reservedMicros : 0,
  }
}

const openCallIn = (tx: Tx, ctx: Ctx, callId: string): UsageRow | null =>
  tx
    .select()
    .from(aiUsage)
    .where(inOrganization(ctx, aiUsage, and(eq(aiUsage.id, callId), isNull(aiUsage.settledAtMs))))
    .get() ?? null

type Result = Pick<
  UsageRow,
  'inputTokens' | 'outputTokens' | 'costMicros' | 'durationMs' | 'errorKind' | 'httpStatus'
> & { outcome: UsageOutcome }

/** Writes how a call ended and moves its reservation to the sums of its day. */
function writeOutcomeIn(tx: Tx, ctx: Ctx, row: UsageRow, result: Result): void {
  const { outcome, inputTokens, outputTokens, costMicros } = result
  tx.update(aiUsage)
    .set({ ...result, settledAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, aiUsage, eq(aiUsage.id, row.id)))
    .run()
  addToDayIn(tx, ctx, row.day, {
    reservedTokens: -row.reservedTokens,
    reservedMicros: -row.reservedMicros,
    ...(outcome === 'not_called'
      ? {}
      : {
          requests: 1,
          failed: outcome === 'failed' || outcome === 'unknown' ? 1 : 0,
          handovers: outcome === 'handover' ? 1 : 0,
          inputTokens,
          outputTokens,
          costMicros: costMicros ?? 0,
          unpriced: costMicros === null ? 1 : 0,
        }),
  })
  if (outcome === 'not_called') return
  onCommit(tx, () => {
    const { provider } = row
    ctx.metrics.aiRequests.inc({ provider, outcome })
    ctx.metrics.aiTokens.inc({ provider, direction: 'input' }, inputTokens)
    ctx.metrics.aiTokens.inc({ provider, direction: 'output' }, outputTokens)
  })
}

/** A call that nobody settled for this long was forgotten. The longest one takes two minutes. */
const FORGOTTEN_MS = 15 * MINUTE_MS

const BATCH = 100

/**
 * Settles calls whose job was discarded or lost. A call that had begun counts with its estimate,
 * because the provider may have answered it.
 */
export function settleForgotten(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const rows = tx
      .select()
      .from(aiUsage)
      .where(
        inWorkingOrganizations(
          'forgotten calls of all organizations are settled at once',
          aiUsage,
          and(
            isNull(aiUsage.settledAtMs),
            lt(aiUsage.createdAtMs, deps.clock.nowMs() - FORGOTTEN_MS),
          ),
        ),
      )
      .orderBy(asc(aiUsage.createdAtMs))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      const hasBegun = row.startedAtMs !== null
      writeOutcomeIn(tx, systemCtx(deps, row.organizationId), row, {
        outcome: hasBegun ? 'unknown' : 'not_called',
        inputTokens: hasBegun ? row.reservedTokens : 0,
        outputTokens: 0,
        costMicros: hasBegun ? row.reservedMicros : 0,
        durationMs: null,
        errorKind: null,
        httpStatus: null,
      })
    }
    return rows.length
  })
}
