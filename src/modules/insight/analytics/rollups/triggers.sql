CREATE TRIGGER message_rollups_added AFTER INSERT ON messages WHEN new.counted_slot IS NOT NULL BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, new.source, new.type,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL), (new.delivered_at_ms IS NOT NULL), (new.source <> 'contact' AND new.read_at_ms IS NOT NULL), (new.status = 'failed')
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = new.organization_id AND c.id = new.contact_id), new.source,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL)
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER answer_rollups_added AFTER INSERT ON messages WHEN new.answered_slot IS NOT NULL BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
		SELECT new.organization_id, p.part, 0, new.answered_slot, new.account_id, new.source, new.type,
			1, new.answered_after_ms
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms;
END;

CREATE TRIGGER message_rollups_progressed AFTER UPDATE OF status, sent_at_ms, delivered_at_ms, read_at_ms ON messages WHEN new.counted_slot IS NOT NULL AND old.counted_slot IS new.counted_slot AND old.type IS new.type AND old.account_id IS new.account_id AND old.source IS new.source AND old.contact_id IS new.contact_id
	AND (old.status IS new.status AND (old.sent_at_ms IS NULL) = (new.sent_at_ms IS NULL) AND (old.delivered_at_ms IS NULL) = (new.delivered_at_ms IS NULL) AND (old.read_at_ms IS NULL) = (new.read_at_ms IS NULL)) = 0 BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, new.source, new.type,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL) - (old.source = 'contact' OR old.sent_at_ms IS NOT NULL), (new.delivered_at_ms IS NOT NULL) - (old.delivered_at_ms IS NOT NULL), (new.source <> 'contact' AND new.read_at_ms IS NOT NULL) - (old.source <> 'contact' AND old.read_at_ms IS NOT NULL), (new.status = 'failed') - (old.status = 'failed')
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = new.organization_id AND c.id = new.contact_id), new.source,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL) - (old.source = 'contact' OR old.sent_at_ms IS NOT NULL)
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND (old.sent_at_ms IS NULL) <> (new.sent_at_ms IS NULL)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER message_rollups_moved AFTER UPDATE OF status, sent_at_ms, timestamp_ms, is_test, type, account_id, source, contact_id ON messages WHEN (old.counted_slot IS NOT NULL OR new.counted_slot IS NOT NULL) AND (old.counted_slot IS new.counted_slot AND old.type IS new.type AND old.account_id IS new.account_id AND old.source IS new.source AND old.contact_id IS new.contact_id) = 0 BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT old.organization_id, p.part, 0, old.counted_slot, old.account_id, old.source, old.type,
			-(old.source = 'contact' OR old.sent_at_ms IS NOT NULL), -(old.delivered_at_ms IS NOT NULL), -(old.source <> 'contact' AND old.read_at_ms IS NOT NULL), -(old.status = 'failed')
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.counted_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT old.organization_id, p.part, 0, old.counted_slot, old.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = old.organization_id AND c.id = old.contact_id), old.source,
			-(old.source = 'contact' OR old.sent_at_ms IS NOT NULL)
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.counted_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, new.source, new.type,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL), (new.delivered_at_ms IS NOT NULL), (new.source <> 'contact' AND new.read_at_ms IS NOT NULL), (new.status = 'failed')
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.counted_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT new.organization_id, p.part, 0, new.counted_slot, new.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = new.organization_id AND c.id = new.contact_id), new.source,
			(new.source = 'contact' OR new.sent_at_ms IS NOT NULL)
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.counted_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER answer_rollups_moved AFTER UPDATE OF timestamp_ms, answered_after_ms, is_test, type, account_id, source ON messages WHEN (old.answered_slot IS NOT NULL OR new.answered_slot IS NOT NULL) AND (old.answered_slot IS new.answered_slot AND old.answered_after_ms IS new.answered_after_ms AND old.type IS new.type AND old.account_id IS new.account_id AND old.source IS new.source) = 0 BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
		SELECT old.organization_id, p.part, 0, old.answered_slot, old.account_id, old.source, old.type,
			-1, -old.answered_after_ms
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.answered_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms;
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
		SELECT new.organization_id, p.part, 0, new.answered_slot, new.account_id, new.source, new.type,
			1, new.answered_after_ms
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.answered_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms;
END;

CREATE TRIGGER message_rollups_removed AFTER DELETE ON messages WHEN old.counted_slot IS NOT NULL BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT old.organization_id, p.part, 0, old.counted_slot, old.account_id, old.source, old.type,
			-(old.source = 'contact' OR old.sent_at_ms IS NOT NULL), -(old.delivered_at_ms IS NOT NULL), -(old.source <> 'contact' AND old.read_at_ms IS NOT NULL), -(old.status = 'failed')
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT old.organization_id, p.part, 0, old.counted_slot, old.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = old.organization_id AND c.id = old.contact_id), old.source,
			-(old.source = 'contact' OR old.sent_at_ms IS NOT NULL)
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, messages, delivered, read, failed)
		SELECT old.organization_id, 0, 0, old.counted_slot, old.account_id, old.source, old.type,
			(old.source = 'contact' OR old.sent_at_ms IS NOT NULL), (old.delivered_at_ms IS NOT NULL), (old.source <> 'contact' AND old.read_at_ms IS NOT NULL), (old.status = 'failed')
		WHERE true
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages, delivered = delivered + excluded.delivered, read = read + excluded.read, failed = failed + excluded.failed;
	INSERT INTO contact_rollups (organization_id, part, unit, start, account_id, contact, source, messages)
		SELECT old.organization_id, 0, 0, old.counted_slot, old.account_id, (SELECT c.row FROM contacts c WHERE c.organization_id = old.organization_id AND c.id = old.contact_id), old.source,
			(old.source = 'contact' OR old.sent_at_ms IS NOT NULL)
		WHERE true
		ON CONFLICT DO UPDATE SET messages = messages + excluded.messages;
END;

CREATE TRIGGER answer_rollups_removed AFTER DELETE ON messages WHEN old.answered_slot IS NOT NULL BEGIN
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
		SELECT old.organization_id, p.part, 0, old.answered_slot, old.account_id, old.source, old.type,
			-1, -old.answered_after_ms
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms;
	INSERT INTO message_rollups (organization_id, part, unit, start, account_id, source, type, answers, answer_ms)
		SELECT old.organization_id, 0, 0, old.answered_slot, old.account_id, old.source, old.type,
			1, old.answered_after_ms
		WHERE old.counted_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, answer_ms = answer_ms + excluded.answer_ms;
END;

CREATE TRIGGER cost_changes_added AFTER INSERT ON messages WHEN new.costed_slot IS NOT NULL BEGIN
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT new.organization_id, p.part, 0, new.costed_slot, new.account_id, coalesce(new.cost_category, ''), coalesce(new.cost_country, ''), new.source, coalesce(new.campaign_id, zeroblob(16)), coalesce(new.template_id, zeroblob(16)), coalesce(new.bot_flow_id, zeroblob(16)), iif(new.source = 'agent', coalesce(new.sent_by, zeroblob(16)), zeroblob(16)), coalesce(new.cost_currency, ''),
			(new.cost_free_reason IS NULL AND new.cost_micros IS NOT NULL), (new.cost_free_reason IS NOT NULL), (new.cost_free_reason IS NULL AND new.cost_micros IS NULL), new.is_cost_estimate, iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0)), new.is_cost_estimate * iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0))
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
END;

CREATE TRIGGER cost_changes_settled AFTER UPDATE OF cost_micros, cost_free_reason, is_cost_estimate ON messages WHEN new.costed_slot IS NOT NULL AND old.costed_slot IS new.costed_slot AND old.account_id IS new.account_id AND old.cost_category IS new.cost_category AND old.cost_country IS new.cost_country AND old.source IS new.source AND old.campaign_id IS new.campaign_id AND old.template_id IS new.template_id AND old.bot_flow_id IS new.bot_flow_id AND old.sent_by IS new.sent_by AND old.cost_currency IS new.cost_currency
	AND (old.cost_micros IS new.cost_micros AND old.cost_free_reason IS new.cost_free_reason AND old.is_cost_estimate IS new.is_cost_estimate) = 0 BEGIN
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT new.organization_id, p.part, 0, new.costed_slot, new.account_id, coalesce(new.cost_category, ''), coalesce(new.cost_country, ''), new.source, coalesce(new.campaign_id, zeroblob(16)), coalesce(new.template_id, zeroblob(16)), coalesce(new.bot_flow_id, zeroblob(16)), iif(new.source = 'agent', coalesce(new.sent_by, zeroblob(16)), zeroblob(16)), coalesce(new.cost_currency, ''),
			(new.cost_free_reason IS NULL AND new.cost_micros IS NOT NULL) - (old.cost_free_reason IS NULL AND old.cost_micros IS NOT NULL), (new.cost_free_reason IS NOT NULL) - (old.cost_free_reason IS NOT NULL), (new.cost_free_reason IS NULL AND new.cost_micros IS NULL) - (old.cost_free_reason IS NULL AND old.cost_micros IS NULL), new.is_cost_estimate - old.is_cost_estimate, iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0)) - iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0)), new.is_cost_estimate * iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0)) - old.is_cost_estimate * iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0))
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
END;

CREATE TRIGGER cost_changes_moved AFTER UPDATE OF sent_at_ms, cost_month, cost_free_reason, cost_category, cost_country, cost_currency, source, sent_by, account_id, campaign_id, template_id, bot_flow_id ON messages WHEN (old.costed_slot IS NOT NULL OR new.costed_slot IS NOT NULL)
	AND (old.costed_slot IS new.costed_slot AND old.account_id IS new.account_id AND old.cost_category IS new.cost_category AND old.cost_country IS new.cost_country AND old.source IS new.source AND old.campaign_id IS new.campaign_id AND old.template_id IS new.template_id AND old.bot_flow_id IS new.bot_flow_id AND old.sent_by IS new.sent_by AND old.cost_currency IS new.cost_currency) = 0 BEGIN
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT old.organization_id, p.part, 0, old.costed_slot, old.account_id, coalesce(old.cost_category, ''), coalesce(old.cost_country, ''), old.source, coalesce(old.campaign_id, zeroblob(16)), coalesce(old.template_id, zeroblob(16)), coalesce(old.bot_flow_id, zeroblob(16)), iif(old.source = 'agent', coalesce(old.sent_by, zeroblob(16)), zeroblob(16)), coalesce(old.cost_currency, ''),
			-(old.cost_free_reason IS NULL AND old.cost_micros IS NOT NULL), -(old.cost_free_reason IS NOT NULL), -(old.cost_free_reason IS NULL AND old.cost_micros IS NULL), -old.is_cost_estimate, -iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0)), -old.is_cost_estimate * iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0))
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.costed_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT new.organization_id, p.part, 0, new.costed_slot, new.account_id, coalesce(new.cost_category, ''), coalesce(new.cost_country, ''), new.source, coalesce(new.campaign_id, zeroblob(16)), coalesce(new.template_id, zeroblob(16)), coalesce(new.bot_flow_id, zeroblob(16)), iif(new.source = 'agent', coalesce(new.sent_by, zeroblob(16)), zeroblob(16)), coalesce(new.cost_currency, ''),
			(new.cost_free_reason IS NULL AND new.cost_micros IS NOT NULL), (new.cost_free_reason IS NOT NULL), (new.cost_free_reason IS NULL AND new.cost_micros IS NULL), new.is_cost_estimate, iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0)), new.is_cost_estimate * iif(new.cost_currency IS NULL, 0, coalesce(new.cost_micros, 0))
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.costed_slot IS NOT NULL
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
END;

CREATE TRIGGER cost_changes_removed AFTER DELETE ON messages WHEN old.costed_slot IS NOT NULL BEGIN
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT old.organization_id, p.part, 0, old.costed_slot, old.account_id, coalesce(old.cost_category, ''), coalesce(old.cost_country, ''), old.source, coalesce(old.campaign_id, zeroblob(16)), coalesce(old.template_id, zeroblob(16)), coalesce(old.bot_flow_id, zeroblob(16)), iif(old.source = 'agent', coalesce(old.sent_by, zeroblob(16)), zeroblob(16)), coalesce(old.cost_currency, ''),
			-(old.cost_free_reason IS NULL AND old.cost_micros IS NOT NULL), -(old.cost_free_reason IS NOT NULL), -(old.cost_free_reason IS NULL AND old.cost_micros IS NULL), -old.is_cost_estimate, -iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0)), -old.is_cost_estimate * iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0))
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
	INSERT INTO cost_changes (organization_id, part, unit, start, account_id, category, country, source, campaign_id, template_id, bot_flow_id, agent_id, currency, billable, free, unpriced, estimated, micros, estimated_micros)
		SELECT old.organization_id, 0, 0, old.costed_slot, old.account_id, coalesce(old.cost_category, ''), coalesce(old.cost_country, ''), old.source, coalesce(old.campaign_id, zeroblob(16)), coalesce(old.template_id, zeroblob(16)), coalesce(old.bot_flow_id, zeroblob(16)), iif(old.source = 'agent', coalesce(old.sent_by, zeroblob(16)), zeroblob(16)), coalesce(old.cost_currency, ''),
			(old.cost_free_reason IS NULL AND old.cost_micros IS NOT NULL), (old.cost_free_reason IS NOT NULL), (old.cost_free_reason IS NULL AND old.cost_micros IS NULL), old.is_cost_estimate, iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0)), old.is_cost_estimate * iif(old.cost_currency IS NULL, 0, coalesce(old.cost_micros, 0))
		WHERE old.sent_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET billable = billable + excluded.billable, free = free + excluded.free, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated, micros = micros + excluded.micros, estimated_micros = estimated_micros + excluded.estimated_micros;
END;

CREATE TRIGGER rollup_parts_added AFTER INSERT ON organizations BEGIN
	INSERT INTO rollup_parts (organization_id, part) VALUES (new.id, 1);
END;

CREATE TRIGGER contacts_seen_added AFTER INSERT ON contacts BEGIN
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT new.organization_id, p.part, 0, new.first_seen_at_ms / 900000, zeroblob(16), 1, (new.deleted_at_ms IS NULL)
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.merged_into IS NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
END;

CREATE TRIGGER contacts_seen_changed AFTER UPDATE OF first_seen_at_ms, merged_into, deleted_at_ms ON contacts WHEN old.first_seen_at_ms <> new.first_seen_at_ms
	OR (old.merged_into IS NULL) <> (new.merged_into IS NULL) OR (old.deleted_at_ms IS NULL) <> (new.deleted_at_ms IS NULL) BEGIN
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT old.organization_id, p.part, 0, old.first_seen_at_ms / 900000, zeroblob(16), -1, -(old.deleted_at_ms IS NULL)
		FROM rollup_parts p WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.merged_into IS NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT new.organization_id, p.part, 0, new.first_seen_at_ms / 900000, zeroblob(16), 1, (new.deleted_at_ms IS NULL)
		FROM rollup_parts p WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.merged_into IS NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT old.organization_id, p.part, 0, old.first_seen_at_ms / 900000, v.account_id, -1, -(old.deleted_at_ms IS NULL)
		FROM conversations v JOIN rollup_parts p ON p.organization_id = v.organization_id AND (p.through IS NULL OR v.id <= p.through)
		WHERE v.organization_id = old.organization_id AND v.contact_id = old.id AND v.last_message_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT new.organization_id, p.part, 0, new.first_seen_at_ms / 900000, v.account_id, 1, (new.deleted_at_ms IS NULL)
		FROM conversations v JOIN rollup_parts p ON p.organization_id = v.organization_id AND (p.through IS NULL OR v.id <= p.through)
		WHERE v.organization_id = new.organization_id AND v.contact_id = new.id AND v.last_message_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
END;

CREATE TRIGGER contacts_of_number_added AFTER INSERT ON conversations WHEN new.last_message_at_ms IS NOT NULL BEGIN
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT new.organization_id, p.part, 0, c.first_seen_at_ms / 900000, new.account_id, 1, (c.deleted_at_ms IS NULL)
		FROM rollup_parts p JOIN contacts c ON c.organization_id = p.organization_id AND c.id = new.contact_id
		WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through)
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
END;

CREATE TRIGGER contacts_of_number_changed AFTER UPDATE OF last_message_at_ms, contact_id ON conversations WHEN (old.last_message_at_ms IS NULL) <> (new.last_message_at_ms IS NULL)
	OR old.contact_id <> new.contact_id BEGIN
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT old.organization_id, p.part, 0, c.first_seen_at_ms / 900000, old.account_id, -1, -(c.deleted_at_ms IS NULL)
		FROM rollup_parts p JOIN contacts c ON c.organization_id = p.organization_id AND c.id = old.contact_id
		WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through) AND old.last_message_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT new.organization_id, p.part, 0, c.first_seen_at_ms / 900000, new.account_id, 1, (c.deleted_at_ms IS NULL)
		FROM rollup_parts p JOIN contacts c ON c.organization_id = p.organization_id AND c.id = new.contact_id
		WHERE p.organization_id = new.organization_id AND (p.through IS NULL OR new.id <= p.through) AND new.last_message_at_ms IS NOT NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
END;

CREATE TRIGGER contacts_of_number_removed AFTER DELETE ON conversations WHEN old.last_message_at_ms IS NOT NULL BEGIN
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT old.organization_id, p.part, 0, c.first_seen_at_ms / 900000, old.account_id, -1, -(c.deleted_at_ms IS NULL)
		FROM rollup_parts p JOIN contacts c ON c.organization_id = p.organization_id AND c.id = old.contact_id
		WHERE p.organization_id = old.organization_id AND (p.through IS NULL OR old.id <= p.through)
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
	INSERT INTO contacts_seen (organization_id, part, unit, start, account_id, contacts, live)
		SELECT old.organization_id, 0, 0, c.first_seen_at_ms / 900000, old.account_id, 1, 0
		FROM contacts c WHERE c.organization_id = old.organization_id AND c.id = old.contact_id AND c.deleted_at_ms IS NOT NULL AND c.merged_into IS NULL
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts, live = live + excluded.live;
END;
