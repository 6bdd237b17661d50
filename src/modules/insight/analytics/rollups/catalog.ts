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

/** Describes a table whose rows stay in it. */
const counts = (
  table: string,
  keys: readonly string[],
  sums: readonly string[],
  { keepsHours = true, keepsMonths = true } = {},
): CountTable => ({
  ...{ table, keys, sums, keepsHours, keepsMonths },
  targets: [{ table, keys, values: keys }],
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

const COST_KEYS = ['dimension', 'account_id', 'key', 'currency']
const COST_SUMS = ['billable', 'free', 'unpriced', 'estimated', 'micros', 'estimated_micros']

/** All tables of counts that triggers write. */
export const COUNT_TABLES: readonly CountTable[] = [
  counts(
    'message_rollups',
    ['account_id', 'source', 'type'],
    ['messages', 'delivered', 'read', 'failed', 'answers', 'answer_ms'],
  ),
  counts('contact_rollups', ['account_id', 'contact', 'source'], ['messages'], {
    keepsHours: false,
    keepsMonths: false,
  }),
  {
    table: 'cost_changes',
    keys: [
      ...['account_id', 'category', 'country', 'source', 'campaign_id', 'template_id'],
      ...['bot_flow_id', 'agent_id', 'currency'],
    ],
    sums: COST_SUMS,
    targets: Object.entries(DIMENSIONS).map(([dimension, key]) => ({
      table: 'cost_rollups',
      keys: COST_KEYS,
      values: [`'${dimension}'`, 'account_id', key, 'currency'],
    })),
    keepsHours: true,
    keepsMonths: true,
  },
  counts('agent_message_counts', ['user_id'], ['messages']),
  counts('agent_response_counts', ['user_id', 'bin'], ['responses', 'waited_ms']),
  counts(
    'transfer_counts',
    ['user_id', 'account_id'],
    ['handled', 'picked_up', 'queued_ms', 'resolution_ms', 'breached'],
  ),
  counts(
    'bot_session_counts',
    ['account_id', 'flow_id', 'node'],
    [
      ...['sessions', 'completed', 'auto_resolved', 'transferred', 'abandoned', 'messages'],
      ...['bot_messages', 'bot_turns', 'resolution_ms'],
    ],
  ),
  counts(
    'ai_call_counts',
    ['account_id'],
    ['requests', 'failed', 'input_tokens', 'output_tokens', 'cost_micros'],
  ),
  counts('keyword_rollups', ['account_id', 'kind', 'source_id', 'keyword'], ['hits']),
  counts('contacts_seen', ['account_id'], ['contacts', 'live'], { keepsHours: false }),
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
    ...{ table: 'cost_rollups', keys: COST_KEYS, sums: COST_SUMS, keepsMonths: true },
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
