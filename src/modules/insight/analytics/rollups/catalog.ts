import { COUNTERS as AGENT_COUNTERS } from '../agents/counters'
import { COUNTERS as CHATBOT_COUNTERS } from '../chatbot/counters'
import { PERIOD } from './counter'
import { COUNTERS as MESSAGE_COUNTERS } from './counters'

/** A table of counts: how its rows are told apart, what they add up, and what they become. */
export interface CountTable {
  table: string
  /** Columns that are unique with the organization, the part and the period. */
  keys: readonly string[]
  sums: readonly string[]
  /** Where rows of quarter hours are added: a table, and its keys with their expressions. */
  targets: readonly { table: string; keys: readonly string[]; values: readonly string[] }[]
  /** Whether hours are kept for reports with shorter points than days. */
  keepsHours: boolean
  /** Whether days become months. Otherwise they are deleted. */
  keepsMonths: boolean
}

/** All counters of `COUNT_TABLES`. */
export const COUNTERS = [...MESSAGE_COUNTERS, ...AGENT_COUNTERS, ...CHATBOT_COUNTERS]

/** Returns the keys and sums of a table that counters fill. */
function columnsOf(table: string): Pick<CountTable, 'table' | 'keys' | 'sums'> {
  const counters = COUNTERS.filter(({ into }) => into === table)
  return {
    table,
    keys: Object.keys(counters[0]?.by ?? {}).filter((key) => !PERIOD.includes(key)),
    sums: [...new Set(counters.flatMap(({ adds }) => Object.keys(adds)))],
  }
}

/** Describes a table whose rows stay in it. */
const counts = (
  columns: Pick<CountTable, 'table' | 'keys' | 'sums'>,
  { keepsHours = true, keepsMonths = true } = {},
): CountTable => ({
  ...{ ...columns, keepsHours, keepsMonths },
  targets: [{ table: columns.table, keys: columns.keys, values: columns.keys }],
})

/** What costs can be grouped by, and the expression of its key in `cost_changes`. */
export const DIMENSIONS = {
  category: 'category',
  country: 'country',
  source: 'source',
  campaign: 'lower(hex(campaign_id))',
  template: 'lower(hex(template_id))',
  bot_flow: 'lower(hex(bot_flow_id))',
  agent: 'lower(hex(agent_id))',
} as const

const COST_CHANGES = columnsOf('cost_changes')
const COST_KEYS = ['dimension', 'account_id', 'key', 'currency']

/** All tables of counts of quarter hours. */
export const COUNT_TABLES: readonly CountTable[] = [
  counts(columnsOf('message_rollups')),
  counts(columnsOf('contact_rollups'), { keepsHours: false, keepsMonths: false }),
  {
    ...COST_CHANGES,
    targets: Object.entries(DIMENSIONS).map(([dimension, key]) => ({
      table: 'cost_rollups',
      keys: COST_KEYS,
      values: [`'${dimension}'`, 'account_id', key, 'currency'],
    })),
    keepsHours: true,
    keepsMonths: true,
  },
  counts(columnsOf('agent_message_counts')),
  counts(columnsOf('agent_response_counts')),
  counts(columnsOf('transfer_counts')),
  counts(columnsOf('bot_session_counts')),
  counts(columnsOf('ai_call_counts')),
  counts({
    table: 'keyword_rollups',
    keys: ['account_id', 'kind', 'source_id', 'keyword'],
    sums: ['hits'],
  }),
  counts(
    { table: 'contacts_seen', keys: ['account_id'], sums: ['contacts', 'live'] },
    { keepsHours: false },
  ),
]

/** A table that holds hours, days and months. */
export interface LongTable {
  table: string
  keys: readonly string[]
  sums: readonly string[]
  /** Conditions on what leads from the part to the period in its primary key. */
  leads: readonly string[]
  keepsMonths: boolean
}

/** All tables that hold hours, days and months. */
export const LONG_TABLES: readonly LongTable[] = [
  ...COUNT_TABLES.filter(({ table, targets }) => targets[0]?.table === table).map((counted) => ({
    ...counted,
    leads: [''],
  })),
  {
    ...{ table: 'cost_rollups', keys: COST_KEYS, sums: COST_CHANGES.sums, keepsMonths: true },
    leads: Object.keys(DIMENSIONS).map((dimension) => `dimension = '${dimension}' and`),
  },
]

/** All tables of counts. */
export const ALL_TABLES: readonly Pick<LongTable, 'table' | 'keys' | 'leads'>[] = [
  ...COUNT_TABLES.filter(({ table }) => LONG_TABLES.every((long) => long.table !== table)).map(
    ({ table, keys }) => ({ table, keys, leads: [''] }),
  ),
  ...LONG_TABLES,
]
