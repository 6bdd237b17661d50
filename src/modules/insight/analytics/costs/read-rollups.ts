import { bytesToUuid, NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { DIMENSIONS } from '../rollups/catalog'
import {
  countsOf as readCounts,
  type CountRow,
  type CountValue,
  type RollupReading,
} from '../rollups/queries'
import type { RollupPlan } from '../rollups/plan'
import { aiReading, aiSumsOf } from '../chatbot/read-ai'
import type { GroupBy } from './model'
import type { CostCounts } from './sums'

/** What costs are read by. Phone numbers are in the rows of every dimension. */
type Dimension = keyof typeof DIMENSIONS

const COLUMNS = ['billable', 'free', 'unpriced', 'estimated', 'micros', 'estimated_micros'] as const

/** Keys that are IDs. */
const IDS: ReadonlySet<GroupBy> = new Set(['account', 'campaign', 'template', 'bot_flow', 'agent'])

/** Costs of some messages: of a point of the report, or of a group. */
export interface CostRow {
  point: number
  key: string | null
  counts: CostCounts
}

/** Everything that the report on costs reads from counts, all of one moment. */
export interface ReadCosts {
  timeline: CostRow[]
  groups: CostRow[]
  /** Cost of the calls to AI providers, millionths of a US dollar. */
  aiMicros: number
}

/** One thing whose costs are read. Its rows tell nothing else but phone numbers. */
export interface OnlyOf {
  dimension: 'campaign' | 'agent'
  id: string
}

/** What is read of the costs. */
interface CostReading {
  groupBy: GroupBy
  accountId: string | undefined
  only: OnlyOf | null
}

/**
 * Reads the costs of a report from the counts, by point and by group. Those of single conversations
 * are not counted; they are read as one group.
 */
export function readCostCounts(
  ctx: ReadCtx,
  plan: RollupPlan,
  { groupBy, accountId, only }: CostReading,
): ReadCosts {
  // The timeline is the same in every dimension, and categories are few.
  const base: Dimension = only?.dimension ?? 'category'
  const dimension: Dimension = groupBy === 'account' || groupBy === 'conversation' ? base : groupBy
  const ofAccount =
    accountId === undefined ? [] : [['account_id = ?', uuidToBytes(accountId)] as const]
  const key = only && uuidToBytes(only.id)
  const folded = (by: Dimension, keys: readonly string[]): RollupReading => ({
    ...{ table: 'cost_rollups', keys: ['currency', ...keys], sums: COLUMNS, plan },
    where: [
      ['dimension = ?', by],
      ...(key ? [['key = ?', key.toHex()] as const] : []),
      ...ofAccount,
    ],
  })
  const recent = (keys: readonly string[]): RollupReading => ({
    ...{ table: 'cost_changes', keys: ['currency', ...keys], sums: COLUMNS, plan },
    where: [...(only && key ? [[`${only.dimension}_id = ?`, key] as const] : []), ...ofAccount],
  })
  const account = 'lower(hex(account_id))'
  const points = [folded(base, []), recent([])]
  const groups = [
    folded(dimension, [groupBy === 'account' ? account : 'key']),
    recent([groupBy === 'account' ? account : DIMENSIONS[dimension]]),
  ]
  const read = (readings: readonly RollupReading[]): CountRow[] =>
    readings.flatMap((reading) => readCounts(ctx, reading))
  return {
    timeline: read(points).map(([unit, start, currency, ...sums]) => ({
      ...{ point: plan.pointOf(unit, start), key: null },
      counts: countsOf(currency, sums),
    })),
    groups: read(groups.map((group) => ({ ...group, addUp: 'over all' }))).map(
      ([, , currency, key, ...sums]) => ({
        ...{ point: -1, key: groupBy === 'conversation' ? null : keyOf(String(key), groupBy) },
        counts: countsOf(currency, sums),
      }),
    ),
    // calls to AI providers belong to no campaign and nobody
    aiMicros: only ? 0 : aiSumsOf(read([aiReading(plan, accountId)])).costMicros,
  }
}

function countsOf(currency: CountValue | undefined, sums: readonly CountValue[]): CostCounts {
  const [billable = 0, free = 0, unpriced = 0, estimated = 0, micros = 0, estimatedMicros = 0] =
    sums.map(Number)
  return {
    ...{ currency: String(currency), billable, free, unpriced, estimated },
    ...{ micros, estimatedMicros },
  }
}

function keyOf(key: string, groupBy: GroupBy): string | null {
  if (!IDS.has(groupBy)) return key === '' ? null : key
  const id = bytesToUuid(Uint8Array.fromHex(key))
  return id === NIL_UUID ? null : id
}
