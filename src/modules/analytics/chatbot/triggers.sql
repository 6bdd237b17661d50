CREATE TRIGGER bot_session_counts_added AFTER INSERT ON bot_sessions BEGIN
	INSERT INTO bot_session_counts (organization_id, at_ms, account_id, flow_id, node, is_kept, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
		VALUES (new.organization_id, new.started_at_ms - new.started_at_ms % 900000, new.account_id, coalesce(new.flow_id, x''), iif(new.outcome = 'abandoned' AND new.flow_id IS NOT NULL, coalesce(new.node, ''), ''), 0, 1, (new.status = 'completed'), (new.outcome = 'auto_resolved'), (new.outcome = 'transferred'), (new.outcome = 'abandoned'), iif(new.outcome = 'open', 0, new.messages), iif(new.outcome = 'auto_resolved', new.ended_at_ms - new.started_at_ms, 0))
		ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms;
END;

CREATE TRIGGER bot_session_counts_changed AFTER UPDATE ON bot_sessions WHEN old.outcome <> new.outcome OR old.flow_id IS NOT new.flow_id
	OR (new.outcome <> 'open' AND (old.messages <> new.messages OR old.node IS NOT new.node OR old.ended_at_ms IS NOT new.ended_at_ms)) BEGIN
	INSERT INTO bot_session_counts (organization_id, at_ms, account_id, flow_id, node, is_kept, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
		VALUES (old.organization_id, old.started_at_ms - old.started_at_ms % 900000, old.account_id, coalesce(old.flow_id, x''), iif(old.outcome = 'abandoned' AND old.flow_id IS NOT NULL, coalesce(old.node, ''), ''), 0, -1, -(old.status = 'completed'), -(old.outcome = 'auto_resolved'), -(old.outcome = 'transferred'), -(old.outcome = 'abandoned'), -iif(old.outcome = 'open', 0, old.messages), -iif(old.outcome = 'auto_resolved', old.ended_at_ms - old.started_at_ms, 0))
		ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms;
	INSERT INTO bot_session_counts (organization_id, at_ms, account_id, flow_id, node, is_kept, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
		VALUES (new.organization_id, new.started_at_ms - new.started_at_ms % 900000, new.account_id, coalesce(new.flow_id, x''), iif(new.outcome = 'abandoned' AND new.flow_id IS NOT NULL, coalesce(new.node, ''), ''), 0, 1, (new.status = 'completed'), (new.outcome = 'auto_resolved'), (new.outcome = 'transferred'), (new.outcome = 'abandoned'), iif(new.outcome = 'open', 0, new.messages), iif(new.outcome = 'auto_resolved', new.ended_at_ms - new.started_at_ms, 0))
		ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms;
END;

CREATE TRIGGER bot_session_counts_erased AFTER DELETE ON bot_sessions BEGIN
	INSERT INTO bot_session_counts (organization_id, at_ms, account_id, flow_id, node, is_kept, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
		VALUES (old.organization_id, old.started_at_ms - old.started_at_ms % 900000, old.account_id, coalesce(old.flow_id, x''), iif(old.outcome = 'abandoned' AND old.flow_id IS NOT NULL, coalesce(old.node, ''), ''), 0, -1, -(old.status = 'completed'), -(old.outcome = 'auto_resolved'), -(old.outcome = 'transferred'), -(old.outcome = 'abandoned'), -iif(old.outcome = 'open', 0, old.messages), -iif(old.outcome = 'auto_resolved', old.ended_at_ms - old.started_at_ms, 0))
		ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms;
	INSERT INTO bot_session_counts (organization_id, at_ms, account_id, flow_id, node, is_kept, sessions, completed, auto_resolved, transferred, abandoned, messages, resolution_ms)
		VALUES (old.organization_id, old.started_at_ms - old.started_at_ms % 900000, old.account_id, coalesce(old.flow_id, x''), iif(old.outcome = 'abandoned' AND old.flow_id IS NOT NULL, coalesce(old.node, ''), ''), 1, 1, (old.status = 'completed'), (old.outcome = 'auto_resolved'), (old.outcome = 'transferred'), (old.outcome = 'abandoned'), iif(old.outcome = 'open', 0, old.messages), iif(old.outcome = 'auto_resolved', old.ended_at_ms - old.started_at_ms, 0))
		ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions, completed = completed + excluded.completed, auto_resolved = auto_resolved + excluded.auto_resolved, transferred = transferred + excluded.transferred, abandoned = abandoned + excluded.abandoned, messages = messages + excluded.messages, resolution_ms = resolution_ms + excluded.resolution_ms;
END;

CREATE TRIGGER ai_call_counts_added AFTER INSERT ON ai_usage WHEN new.account_id IS NOT NULL AND new.settled_at_ms IS NOT NULL AND new.outcome <> 'not_called' BEGIN
	INSERT INTO ai_call_counts (organization_id, account_id, at_ms, requests, failed, input_tokens, output_tokens, cost_micros)
		VALUES (new.organization_id, new.account_id, new.created_at_ms - new.created_at_ms % 900000, 1, new.outcome IN ('failed', 'unknown'), new.input_tokens, new.output_tokens, coalesce(new.cost_micros, 0))
		ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, failed = failed + excluded.failed, input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, cost_micros = cost_micros + excluded.cost_micros;
END;

CREATE TRIGGER ai_call_counts_settled AFTER UPDATE OF settled_at_ms ON ai_usage WHEN old.settled_at_ms IS NULL AND new.account_id IS NOT NULL AND new.settled_at_ms IS NOT NULL AND new.outcome <> 'not_called' BEGIN
	INSERT INTO ai_call_counts (organization_id, account_id, at_ms, requests, failed, input_tokens, output_tokens, cost_micros)
		VALUES (new.organization_id, new.account_id, new.created_at_ms - new.created_at_ms % 900000, 1, new.outcome IN ('failed', 'unknown'), new.input_tokens, new.output_tokens, coalesce(new.cost_micros, 0))
		ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, failed = failed + excluded.failed, input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, cost_micros = cost_micros + excluded.cost_micros;
END;
