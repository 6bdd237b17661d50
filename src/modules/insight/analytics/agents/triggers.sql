CREATE TRIGGER agent_messages_added AFTER INSERT ON messages WHEN new.accepted_at_ms IS NOT NULL AND new.source = 'agent' AND new.sent_by IS NOT NULL AND new.is_test = 0 BEGIN
	INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
		SELECT new.organization_id, p.part, 0, new.accepted_at_ms / 900000, new.sent_by, 1 FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER agent_messages_changed AFTER UPDATE OF accepted_at_ms ON messages WHEN new.source = 'agent' AND new.sent_by IS NOT NULL AND new.is_test = 0 AND old.accepted_at_ms IS NOT new.accepted_at_ms BEGIN
	INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
		SELECT old.organization_id, p.part, 0, old.accepted_at_ms / 900000, old.sent_by, -1 FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.accepted_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
	INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
		SELECT new.organization_id, p.part, 0, new.accepted_at_ms / 900000, new.sent_by, 1 FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.accepted_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER agent_messages_erased AFTER DELETE ON messages WHEN old.accepted_at_ms IS NOT NULL AND old.source = 'agent' AND old.sent_by IS NOT NULL AND old.is_test = 0 BEGIN
	INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
		SELECT old.organization_id, p.part, 0, old.accepted_at_ms / 900000, old.sent_by, -1 FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
	INSERT INTO agent_message_counts (organization_id, part, unit, start, user_id, messages)
		VALUES (old.organization_id, 0, 0, old.accepted_at_ms / 900000, old.sent_by, 1)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER agent_responses_added AFTER INSERT ON messages WHEN new.answered_after_ms IS NOT NULL AND new.source = 'agent' AND new.sent_by IS NOT NULL AND new.is_test = 0 BEGIN
	INSERT INTO agent_response_counts (organization_id, part, unit, start, user_id, bin, responses, waited_ms)
		SELECT new.organization_id, p.part, 0, (new.created_at_ms - new.answered_after_ms) / 900000, new.sent_by, CAST(floor(ln(max(new.answered_after_ms, 1)) / ln(1.02)) AS INTEGER), 1, new.answered_after_ms FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET responses = responses + excluded.responses, waited_ms = waited_ms + excluded.waited_ms;
END;

CREATE TRIGGER agent_responses_erased AFTER DELETE ON messages WHEN old.answered_after_ms IS NOT NULL AND old.source = 'agent' AND old.sent_by IS NOT NULL AND old.is_test = 0 BEGIN
	INSERT INTO agent_response_counts (organization_id, part, unit, start, user_id, bin, responses, waited_ms)
		SELECT old.organization_id, p.part, 0, (old.created_at_ms - old.answered_after_ms) / 900000, old.sent_by, CAST(floor(ln(max(old.answered_after_ms, 1)) / ln(1.02)) AS INTEGER), -1, -old.answered_after_ms FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET responses = responses + excluded.responses, waited_ms = waited_ms + excluded.waited_ms;
	INSERT INTO agent_response_counts (organization_id, part, unit, start, user_id, bin, responses, waited_ms)
		VALUES (old.organization_id, 0, 0, (old.created_at_ms - old.answered_after_ms) / 900000, old.sent_by, CAST(floor(ln(max(old.answered_after_ms, 1)) / ln(1.02)) AS INTEGER), 1, old.answered_after_ms)
		ON CONFLICT DO UPDATE SET responses = responses + excluded.responses, waited_ms = waited_ms + excluded.waited_ms;
END;

CREATE TRIGGER handled_transfers_added AFTER INSERT ON transfers WHEN new.ended_at_ms IS NOT NULL AND new.agent_id IS NOT NULL BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT new.organization_id, p.part, 0, new.ended_at_ms / 900000, new.agent_id, new.account_id, 1, (new.picked_up_at_ms IS NOT NULL), coalesce(new.picked_up_at_ms - new.transferred_at_ms, 0), (new.ended_at_ms - new.transferred_at_ms), (new.breached_at_ms IS NOT NULL) FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;

CREATE TRIGGER handled_transfers_changed AFTER UPDATE OF ended_at_ms, agent_id, picked_up_at_ms, breached_at_ms ON transfers WHEN coalesce(old.ended_at_ms, new.ended_at_ms) IS NOT NULL BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT old.organization_id, p.part, 0, old.ended_at_ms / 900000, old.agent_id, old.account_id, -1, -(old.picked_up_at_ms IS NOT NULL), -coalesce(old.picked_up_at_ms - old.transferred_at_ms, 0), -(old.ended_at_ms - old.transferred_at_ms), -(old.breached_at_ms IS NOT NULL) FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.ended_at_ms IS NOT NULL AND old.agent_id IS NOT NULL
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT new.organization_id, p.part, 0, new.ended_at_ms / 900000, new.agent_id, new.account_id, 1, (new.picked_up_at_ms IS NOT NULL), coalesce(new.picked_up_at_ms - new.transferred_at_ms, 0), (new.ended_at_ms - new.transferred_at_ms), (new.breached_at_ms IS NOT NULL) FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.ended_at_ms IS NOT NULL AND new.agent_id IS NOT NULL
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;

CREATE TRIGGER handled_transfers_erased AFTER DELETE ON transfers WHEN old.ended_at_ms IS NOT NULL AND old.agent_id IS NOT NULL BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT old.organization_id, p.part, 0, old.ended_at_ms / 900000, old.agent_id, old.account_id, -1, -(old.picked_up_at_ms IS NOT NULL), -coalesce(old.picked_up_at_ms - old.transferred_at_ms, 0), -(old.ended_at_ms - old.transferred_at_ms), -(old.breached_at_ms IS NOT NULL) FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		VALUES (old.organization_id, 0, 0, old.ended_at_ms / 900000, old.agent_id, old.account_id, 1, (old.picked_up_at_ms IS NOT NULL), coalesce(old.picked_up_at_ms - old.transferred_at_ms, 0), (old.ended_at_ms - old.transferred_at_ms), (old.breached_at_ms IS NOT NULL))
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;

CREATE TRIGGER breached_transfers_added AFTER INSERT ON transfers WHEN new.breached_at_ms IS NOT NULL BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT new.organization_id, p.part, 0, new.breached_at_ms / 900000, zeroblob(16), new.account_id, 0, 0, 0, 0, 1 FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;

CREATE TRIGGER breached_transfers_changed AFTER UPDATE OF breached_at_ms ON transfers WHEN old.breached_at_ms IS NOT new.breached_at_ms BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT old.organization_id, p.part, 0, old.breached_at_ms / 900000, zeroblob(16), old.account_id, 0, 0, 0, 0, -1 FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.breached_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT new.organization_id, p.part, 0, new.breached_at_ms / 900000, zeroblob(16), new.account_id, 0, 0, 0, 0, 1 FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.breached_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;

CREATE TRIGGER breached_transfers_erased AFTER DELETE ON transfers WHEN old.breached_at_ms IS NOT NULL BEGIN
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		SELECT old.organization_id, p.part, 0, old.breached_at_ms / 900000, zeroblob(16), old.account_id, 0, 0, 0, 0, -1 FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
	INSERT INTO transfer_counts (organization_id, part, unit, start, user_id, account_id, handled, picked_up, queued_ms, resolution_ms, breached)
		VALUES (old.organization_id, 0, 0, old.breached_at_ms / 900000, zeroblob(16), old.account_id, 0, 0, 0, 0, 1)
		ON CONFLICT DO UPDATE SET handled = handled + excluded.handled, picked_up = picked_up + excluded.picked_up, queued_ms = queued_ms + excluded.queued_ms, resolution_ms = resolution_ms + excluded.resolution_ms, breached = breached + excluded.breached;
END;
