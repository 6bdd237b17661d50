import { countedByTime } from '../rollups/counter'

const ifEnded = (value: string): string => `iif(row.outcome = 'open', 0, ${value})`

/** Counts of sessions of the bot and of calls to AI providers. */
export const COUNTERS = [
  countedByTime({
    into: 'bot_session_counts',
    of: 'bot_sessions',
    at: 'row.started_at_ms',
    by: {
      account_id: 'row.account_id',
      flow_id: 'coalesce(row.flow_id, zeroblob(16))',
      node: "iif(row.outcome = 'abandoned' AND row.flow_id IS NOT NULL, coalesce(row.node, ''), '')",
    },
    adds: {
      sessions: '1',
      completed: "row.status = 'completed'",
      auto_resolved: "row.outcome = 'auto_resolved'",
      transferred: "row.outcome = 'transferred'",
      abandoned: "row.outcome = 'abandoned'",
      messages: ifEnded('row.messages'),
      bot_messages: ifEnded('row.bot_messages'),
      bot_turns: ifEnded('row.bot_turns'),
      resolution_ms: "iif(row.outcome = 'auto_resolved', row.ended_at_ms - row.started_at_ms, 0)",
    },
    madeOf: ['status', 'flow_id', 'has_answered', 'followed_up_at_ms'],
    keeps: 'true',
  }),
  countedByTime({
    into: 'ai_call_counts',
    of: 'ai_usage',
    at: 'CASE WHEN row.settled_at_ms IS NOT NULL THEN row.created_at_ms END',
    when: "row.outcome <> 'not_called'",
    by: { account_id: 'coalesce(row.account_id, zeroblob(16))' },
    adds: {
      requests: '1',
      failed: "row.outcome IN ('failed', 'unknown')",
      input_tokens: 'row.input_tokens',
      output_tokens: 'row.output_tokens',
      cost_micros: 'coalesce(row.cost_micros, 0)',
    },
    keeps: 'true',
  }),
]
