/**
 * Statements that add up the work of agents and the sessions of the bot as the triggers do, one by
 * one. Parameters: part, organization, and the facts after one ID up to another.
 */
export const COUNT_WORK = [
  `INSERT INTO agent_message_counts (organization_id, part, user_id, at_ms, messages)
   SELECT f.organization_id, ?1, f.sent_by, f.accepted_at_ms - f.accepted_at_ms % 900000,
     sum(1)
   FROM messages f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.accepted_at_ms IS NOT NULL AND f.source = 'agent' AND f.sent_by IS NOT NULL
   GROUP BY 3, 4
   ON CONFLICT DO UPDATE SET messages = messages + excluded.messages`,
  `INSERT INTO agent_response_counts (organization_id, part, user_id, at_ms, bin, responses, waited_ms)
   SELECT f.organization_id, ?1, f.sent_by, (f.created_at_ms - f.answered_after_ms) - (f.created_at_ms - f.answered_after_ms) % 900000, CAST(floor(ln(max(f.answered_after_ms, 1)) / ln(1.02)) AS INTEGER),
     sum(1), sum(f.answered_after_ms)
   FROM messages f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.answered_after_ms IS NOT NULL AND f.source = 'agent' AND f.sent_by IS NOT NULL
   GROUP BY 3, 4, 5
   ON CONFLICT DO UPDATE SET responses = responses + excluded.responses, waited_ms = waited_ms + excluded.waited_ms`,
  `INSERT INTO transfer_counts (organization_id, part, user_id, at_ms, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
   SELECT f.organization_id, ?1, f.agent_id, f.ended_at_ms - f.ended_at_ms % 900000, f.account_id,
     sum(1), sum((f.picked_up_at_ms IS NOT NULL)), sum(coalesce(f.picked_up_at_ms - f.transferred_at_ms, 0)), sum((f.ended_at_ms - f.transferred_at_ms)), sum((f.breached_at_ms IS NOT NULL))
   FROM transfers f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.ended_at_ms IS NOT NULL AND f.agent_id IS NOT NULL
   GROUP BY 3, 4, 5
   ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached`,
  `INSERT INTO transfer_counts (organization_id, part, user_id, at_ms, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
   SELECT f.organization_id, ?1, x'', f.breached_at_ms - f.breached_at_ms % 900000, f.account_id,
     sum(0), sum(0), sum(0), sum(0), sum(1)
   FROM transfers f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.breached_at_ms IS NOT NULL
   GROUP BY 3, 4, 5
   ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached`,
  `INSERT INTO bot_session_counts (organization_id, part, at_ms, account_id, flow_id, node, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
   SELECT f.organization_id, ?1, f.started_at_ms - f.started_at_ms % 900000, f.account_id, coalesce(f.flow_id, x''), iif(f.outcome = 'abandoned' AND f.flow_id IS NOT NULL, coalesce(f.node, ''), ''),
     sum(1), sum((f.status = 'completed')), sum((f.outcome = 'auto_resolved')), sum((f.outcome = 'transferred')), sum((f.outcome = 'abandoned')), sum(iif(f.outcome = 'open', 0, f.messages)), sum(iif(f.outcome = 'auto_resolved', f.ended_at_ms - f.started_at_ms, 0))
   FROM bot_sessions f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4
   GROUP BY 3, 4, 5, 6
   ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms`,
]

/** Tables that these statements fill, with what is unique besides organization and part. */
export const WORK_KEYS = {
  agent_message_counts: ['user_id', 'at_ms'],
  agent_response_counts: ['user_id', 'at_ms', 'bin'],
  transfer_counts: ['user_id', 'at_ms', 'account_id'],
  bot_session_counts: ['at_ms', 'account_id', 'flow_id', 'node'],
} as const
