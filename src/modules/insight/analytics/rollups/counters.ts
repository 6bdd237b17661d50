import { countedByTime } from './counter'

/** When reports count a message. Messages of the system and tests of templates do not count. */
const COUNTED_AT = `CASE WHEN row.is_test = 0 AND row.type <> 'system' THEN
  CASE WHEN row.source = 'contact' THEN row.timestamp_ms
    WHEN row.sent_at_ms IS NOT NULL THEN row.sent_at_ms
    WHEN row.status = 'failed' THEN row.created_at_ms END END`

const MESSAGES = "row.source = 'contact' OR row.sent_at_ms IS NOT NULL"

const MICROS = 'iif(row.cost_currency IS NULL, 0, coalesce(row.cost_micros, 0))'

const idOrNone = (id: string): string => `coalesce(${id}, zeroblob(16))`

/** Counts of messages, answers, contacts and costs. */
export const COUNTERS = [
  countedByTime({
    into: 'message_rollups',
    of: 'messages',
    at: COUNTED_AT,
    by: { account_id: 'row.account_id', source: 'row.source', type: 'row.type' },
    adds: {
      messages: MESSAGES,
      delivered: 'row.delivered_at_ms IS NOT NULL',
      read: "row.source <> 'contact' AND row.read_at_ms IS NOT NULL",
      failed: "row.status = 'failed'",
    },
    keeps: 'true',
  }),
  countedByTime({
    name: 'answer_rollups',
    into: 'message_rollups',
    of: 'messages',
    // When the customer began to wait.
    at: `CASE WHEN row.is_test = 0 AND row.source IN ('agent', 'phone_app')
      THEN row.timestamp_ms - row.answered_after_ms END`,
    by: { account_id: 'row.account_id', source: 'row.source', type: 'row.type' },
    adds: { answers: '1', answer_ms: 'row.answered_after_ms' },
    keeps: `(${COUNTED_AT}) IS NOT NULL`,
  }),
  countedByTime({
    into: 'contact_rollups',
    of: 'messages',
    at: COUNTED_AT,
    by: {
      account_id: 'row.account_id',
      contact:
        'SELECT c.row FROM contacts c WHERE c.organization_id = row.organization_id AND c.id = row.contact_id',
      source: 'row.source',
    },
    adds: { messages: MESSAGES },
    keeps: 'true',
  }),
  countedByTime({
    into: 'cost_changes',
    of: 'messages',
    at: `CASE WHEN row.cost_month IS NOT NULL AND coalesce(row.cost_free_reason, '') <> 'not_delivered'
      THEN coalesce(row.sent_at_ms, row.created_at_ms) END`,
    by: {
      account_id: 'row.account_id',
      category: "coalesce(row.cost_category, '')",
      country: "coalesce(row.cost_country, '')",
      source: 'row.source',
      campaign_id: idOrNone('row.campaign_id'),
      template_id: idOrNone('row.template_id'),
      bot_flow_id: idOrNone('row.bot_flow_id'),
      agent_id: idOrNone("iif(row.source = 'agent', row.sent_by, NULL)"),
      currency: "coalesce(row.cost_currency, '')",
    },
    adds: {
      billable: 'row.cost_free_reason IS NULL AND row.cost_micros IS NOT NULL',
      free: 'row.cost_free_reason IS NOT NULL',
      unpriced: 'row.cost_free_reason IS NULL AND row.cost_micros IS NULL',
      estimated: 'row.is_cost_estimate',
      micros: MICROS,
      estimated_micros: `row.is_cost_estimate * ${MICROS}`,
    },
    keeps: 'row.sent_at_ms IS NOT NULL',
  }),
]
