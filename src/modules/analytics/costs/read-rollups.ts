import { bytesToUuid, uuidToBytes } from '../../../infra/db/uuid'
import type { Ctx } from '../../../infra/ctx'
import { DIMENSIONS } from '../rollups/fold'
import { readCounts, type CountRow, type Reading } from '../rollups/queries'
import type { Plan } from '../rollups/plan'
import type { GroupBy } from './model'
import type { CostCounts } from './sums'

/** What costs are read by. Phone numbers are in the rows of every dimension. */
type Dimension = keyof typeof DIMENSIONS

const COLUMNS = ['billable', 'free', 'unpriced', 'estimated', 'micros', 'estimated_micros'] as const

/** Keys that are IDs. */
const IDS: ReadonlySet<GroupBy> = new Set(['account', 'campaign', 'template', 'bot_flow', 'agent'])

/** Costs of a group of messages in a period. */
export interface CostCell {
  point: number
  key: string | null
  counts: CostCounts
}

/**
 * Reads the costs of a report from the counts, grouped. Those of single conversations are not
 * counted; they are read as one group.
 */
export async function readCostCells(
  ctx: Ctx,
  plan: Plan,
  { groupBy, accountId }: { groupBy: GroupBy; accountId: string | undefined },
): Promise<CostCell[]> {
  const dimension: Dimension =
    groupBy === 'account' || groupBy === 'conversation' ? 'category' : groupBy
  const ofAccount =
    accountId === undefined ? [] : [['account_id = ?', uuidToBytes(accountId)] as const]
  const account = 'lower(hex(account_id))'
  const reading = (part: Pick<Reading, 'table' | 'keys' | 'where'>): Reading => ({
    ...part,
    keys: ['currency', ...part.keys],
    where: [...part.where, ...ofAccount],
    sums: COLUMNS,
    plan,
  })
  const found = await readCounts(ctx, [
    reading({
      table: 'cost_rollups',
      keys: [groupBy === 'account' ? account : 'key'],
      where: [['dimension = ?', dimension]],
    }),
    reading({
      table: 'cost_changes',
      keys: [groupBy === 'account' ? account : DIMENSIONS[dimension]],
      where: [],
    }),
  ])
  return found.flat().flatMap((row) => {
    const cell = cellOf(row, plan, groupBy)
    return cell.point < 0 ? [] : [cell]
  })
}

function cellOf(row: CountRow, plan: Plan, groupBy: GroupBy): CostCell {
  const [unit, start, currency, key, ...sums] = row
  const [billable = 0, free = 0, unpriced = 0, estimated = 0, micros = 0, estimatedMicros = 0] =
    sums as number[]
  return {
    point: plan.pointOf(unit, start),
    key: groupBy === 'conversation' ? null : keyOf(String(key), groupBy),
    counts: {
      ...{ currency: String(currency), billable, free, unpriced, estimated },
      ...{ micros, estimatedMicros },
    },
  }
}

const keyOf = (key: string, groupBy: GroupBy): string | null =>
  key === '' ? null : IDS.has(groupBy) ? bytesToUuid(Uint8Array.fromHex(key)) : key
