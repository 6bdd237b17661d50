import { countedByTime } from '../rollups/counter'

const OF_AGENT = "row.source = 'agent' AND row.sent_by IS NOT NULL AND row.is_test = 0"

/** Counts of the work of people. */
export const COUNTERS = [
  countedByTime({
    into: 'agent_message_counts',
    of: 'messages',
    at: 'row.accepted_at_ms',
    when: OF_AGENT,
    by: { user_id: 'row.sent_by' },
    adds: { messages: '1' },
    keeps: 'true',
  }),
  countedByTime({
    into: 'agent_response_counts',
    of: 'messages',
    // When the customer began to wait.
    at: 'row.created_at_ms - row.answered_after_ms',
    when: OF_AGENT,
    by: {
      user_id: 'row.sent_by',
      account_id: 'row.account_id',
      bin: 'CAST(floor(ln(max(row.answered_after_ms, 1)) / ln(1.02)) AS INTEGER)',
    },
    adds: { responses: '1', waited_ms: 'row.answered_after_ms' },
    keeps: 'true',
  }),
  countedByTime({
    name: 'handled_transfers',
    into: 'transfer_counts',
    of: 'transfers',
    at: 'row.ended_at_ms',
    when: 'row.agent_id IS NOT NULL',
    by: { user_id: 'row.agent_id', account_id: 'row.account_id' },
    adds: {
      handled: '1',
      picked_up: 'row.picked_up_at_ms IS NOT NULL',
      queued_ms: 'coalesce(row.picked_up_at_ms - row.transferred_at_ms, 0)',
      resolution_ms: 'row.ended_at_ms - row.transferred_at_ms',
      breached: 'row.breached_at_ms IS NOT NULL',
    },
    keeps: 'true',
  }),
  countedByTime({
    name: 'breached_transfers',
    into: 'transfer_counts',
    of: 'transfers',
    at: 'row.breached_at_ms',
    by: { user_id: 'zeroblob(16)', account_id: 'row.account_id' },
    adds: { handled: '0', picked_up: '0', queued_ms: '0', resolution_ms: '0', breached: '1' },
    keeps: 'true',
  }),
]
