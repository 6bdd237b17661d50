/**
 * Statements that add up the work of agents, the sessions of the bot, calls to AI providers and
 * contacts as the triggers do, one by one. Parameters: part, organization, and the facts after one
 * ID up to another.
 */
export const COUNT_WORK = [
  `INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
   SELECT f.organization_id, ?1, 0, f.accepted_at_ms / 900000, f.sent_by,
     sum(1)
   FROM messages f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.accepted_at_ms IS NOT NULL AND f.source = 'agent' AND f.sent_by IS NOT NULL AND f.is_test = 0
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET messages = messages + excluded.messages`,
  `INSERT INTO agent_response_counts (organization_id, part, unit, start, user_id, bin, responses, waited_ms)
   SELECT f.organization_id, ?1, 0, (f.created_at_ms - f.answered_after_ms) / 900000, f.sent_by, CAST(floor(ln(max(f.answered_after_ms, 1)) / ln(1.02)) AS INTEGER),
     sum(1), sum(f.answered_after_ms)
   FROM messages f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.answered_after_ms IS NOT NULL AND f.source = 'agent' AND f.sent_by IS NOT NULL AND f.is_test = 0
   GROUP BY 4, 5, 6
   ON CONFLICT DO UPDATE SET responses = responses + excluded.responses, waited_ms = waited_ms + excluded.waited_ms`,
  `INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
   SELECT f.organization_id, ?1, 0, f.ended_at_ms / 900000, f.agent_id, f.account_id,
     sum(1), sum((f.picked_up_at_ms IS NOT NULL)), sum(coalesce(f.picked_up_at_ms - f.transferred_at_ms, 0)), sum((f.ended_at_ms - f.transferred_at_ms)), sum((f.breached_at_ms IS NOT NULL))
   FROM transfers f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.ended_at_ms IS NOT NULL AND f.agent_id IS NOT NULL
   GROUP BY 4, 5, 6
   ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached`,
  `INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
   SELECT f.organization_id, ?1, 0, f.breached_at_ms / 900000, zeroblob(16), f.account_id,
     sum(0), sum(0), sum(0), sum(0), sum(1)
   FROM transfers f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.breached_at_ms IS NOT NULL
   GROUP BY 4, 5, 6
   ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached`,
  `INSERT INTO bot_session_counts (organization_id, part, unit, start, account_id, flow_id, node, sessions, completed, auto_resolved, transferred, abandoned, messages, bot_messages, bot_turns, resolution_ms)
   SELECT f.organization_id, ?1, 0, f.started_at_ms / 900000, f.account_id, coalesce(f.flow_id, zeroblob(16)), iif(f.outcome = 'abandoned' AND f.flow_id IS NOT NULL, coalesce(f.node, ''), ''),
     sum(1), sum((f.status = 'completed')), sum((f.outcome = 'auto_resolved')), sum((f.outcome = 'transferred')), sum((f.outcome = 'abandoned')), sum(iif(f.outcome = 'open', 0, f.messages)), sum(iif(f.outcome = 'open', 0, f.bot_messages)), sum(iif(f.outcome = 'open', 0, f.bot_turns)), sum(iif(f.outcome = 'auto_resolved', f.ended_at_ms - f.started_at_ms, 0))
   FROM bot_sessions f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4
   GROUP BY 4, 5, 6, 7
   ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, bot_messages = bot_messages + excluded.bot_messages, bot_turns = bot_turns + excluded.bot_turns, resolution_ms = resolution_ms + excluded.resolution_ms`,
  `INSERT INTO ai_call_counts (organization_id, part, unit, start, account_id, requests, failed, input_tokens, output_tokens, cost_micros)
   SELECT f.organization_id, ?1, 0, f.created_at_ms / 900000, coalesce(f.account_id, zeroblob(16)),
     sum(1), sum((f.outcome IN ('failed', 'unknown'))), sum(f.input_tokens), sum(f.output_tokens), sum(coalesce(f.cost_micros, 0))
   FROM ai_usage f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.settled_at_ms IS NOT NULL AND f.outcome <> 'not_called'
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, failed = failed + excluded.failed, input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, cost_micros = cost_micros + excluded.cost_micros`,
  `INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
   SELECT f.organization_id, ?1, 0, f.first_seen_at_ms / 900000, zeroblob(16),
     sum(1), sum(f.deleted_at_ms IS NULL)
   FROM contacts f WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.merged_into IS NULL
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live`,
  `INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
   SELECT f.organization_id, ?1, 0, c.first_seen_at_ms / 900000, f.account_id,
     sum(1), sum(c.deleted_at_ms IS NULL)
   FROM conversations f JOIN contacts c ON c.organization_id = f.organization_id AND c.id = f.contact_id
   WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND f.last_message_at_ms IS NOT NULL
   GROUP BY 4, 5
   ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live`,
]
