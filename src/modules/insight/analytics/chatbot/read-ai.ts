import { meanOf } from '../report/rates'
import type { RollupPlan } from '../rollups/plan'
import { uuidToBytes } from '../../../../infra/db/uuid'
import type { CountRow, RollupReading } from '../rollups/queries'
import type { AiFigures } from './model'

/** Millionths in a dollar. */
const MICROS = 1_000_000

/** Sums of calls to AI providers. */
export interface AiSums {
  requests: number
  failed: number
  inputTokens: number
  outputTokens: number
  /** Millionths of a US dollar. */
  costMicros: number
}

/** Returns what is read of the calls to AI providers, of the organization or of one number. */
export const aiReading = (plan: RollupPlan, accountId: string | undefined): RollupReading => ({
  table: 'ai_call_counts',
  keys: [],
  sums: ['requests', 'failed', 'input_tokens', 'output_tokens', 'cost_micros'],
  where: accountId === undefined ? [] : [['account_id = ?', uuidToBytes(accountId)]],
  plan,
  addUp: 'over all',
})

/** Returns the sums of the rows that were read. */
export function aiSumsOf(rows: readonly CountRow[]): AiSums {
  const sums = { requests: 0, failed: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 }
  for (const [, , requests, failed, inputTokens, outputTokens, costMicros] of rows) {
    sums.requests += Number(requests)
    sums.failed += Number(failed)
    sums.inputTokens += Number(inputTokens)
    sums.outputTokens += Number(outputTokens)
    sums.costMicros += Number(costMicros)
  }
  return sums
}

/** Returns the figures of the use of AI. */
export function aiFigures(sums: AiSums): AiFigures {
  const tokens = sums.inputTokens + sums.outputTokens
  return {
    total_requests: sums.requests,
    failed_requests: sums.failed,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    total_tokens: tokens,
    avg_tokens_per_request: meanOf(tokens, sums.requests),
    estimated_cost: sums.costMicros / MICROS,
    currency: 'USD',
  }
}
