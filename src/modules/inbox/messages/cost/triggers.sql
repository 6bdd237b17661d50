CREATE TRIGGER cost_totals_added AFTER INSERT ON messages WHEN new.cost_month IS NOT NULL BEGIN
	INSERT INTO cost_totals (organization_id, account_id, month, currency, settled_micros, estimated_micros, estimated_messages, unpriced_messages)
		VALUES (new.organization_id, new.account_id, new.cost_month, coalesce(new.cost_currency, ''), iif(new.is_cost_estimate, 0, coalesce(new.cost_micros, 0)),
			iif(new.is_cost_estimate, coalesce(new.cost_micros, 0), 0), new.is_cost_estimate, new.cost_micros IS NULL)
		ON CONFLICT DO UPDATE SET settled_micros = settled_micros + excluded.settled_micros, estimated_micros = estimated_micros + excluded.estimated_micros,
			estimated_messages = estimated_messages + excluded.estimated_messages, unpriced_messages = unpriced_messages + excluded.unpriced_messages;
END;

CREATE TRIGGER cost_totals_changed AFTER UPDATE OF cost_micros, cost_currency, cost_month, is_cost_estimate ON messages WHEN old.cost_micros IS NOT new.cost_micros
	OR old.cost_currency IS NOT new.cost_currency OR old.cost_month IS NOT new.cost_month OR old.is_cost_estimate <> new.is_cost_estimate BEGIN
	INSERT INTO cost_totals (organization_id, account_id, month, currency, settled_micros, estimated_micros, estimated_messages, unpriced_messages)
		SELECT old.organization_id, old.account_id, old.cost_month, coalesce(old.cost_currency, ''), -iif(old.is_cost_estimate, 0, coalesce(old.cost_micros, 0)),
			-iif(old.is_cost_estimate, coalesce(old.cost_micros, 0), 0), -old.is_cost_estimate, -(old.cost_micros IS NULL) WHERE old.cost_month IS NOT NULL
		ON CONFLICT DO UPDATE SET settled_micros = settled_micros + excluded.settled_micros, estimated_micros = estimated_micros + excluded.estimated_micros,
			estimated_messages = estimated_messages + excluded.estimated_messages, unpriced_messages = unpriced_messages + excluded.unpriced_messages;
	INSERT INTO cost_totals (organization_id, account_id, month, currency, settled_micros, estimated_micros, estimated_messages, unpriced_messages)
		SELECT new.organization_id, new.account_id, new.cost_month, coalesce(new.cost_currency, ''), iif(new.is_cost_estimate, 0, coalesce(new.cost_micros, 0)),
			iif(new.is_cost_estimate, coalesce(new.cost_micros, 0), 0), new.is_cost_estimate, new.cost_micros IS NULL WHERE new.cost_month IS NOT NULL
		ON CONFLICT DO UPDATE SET settled_micros = settled_micros + excluded.settled_micros, estimated_micros = estimated_micros + excluded.estimated_micros,
			estimated_messages = estimated_messages + excluded.estimated_messages, unpriced_messages = unpriced_messages + excluded.unpriced_messages;
END;

CREATE TRIGGER service_counts_added AFTER INSERT ON messages WHEN new.cost_category = 'SERVICE' AND new.cost_month IS NOT NULL BEGIN
	INSERT INTO service_counts (organization_id, account_id, month, sent, delivered)
		SELECT new.organization_id, new.account_id, new.cost_month, 1, 0 WHERE coalesce(new.cost_free_reason, '') NOT IN ('free_entry_point', 'not_delivered')
		ON CONFLICT DO UPDATE SET sent = sent + excluded.sent;
END;

CREATE TRIGGER service_counts_changed AFTER UPDATE OF cost_category, cost_month, cost_free_reason, allowance_month ON messages WHEN old.cost_category IS NOT new.cost_category
	OR old.cost_month IS NOT new.cost_month OR old.cost_free_reason IS NOT new.cost_free_reason OR old.allowance_month IS NOT new.allowance_month BEGIN
	INSERT INTO service_counts (organization_id, account_id, month, sent, delivered)
		SELECT old.organization_id, old.account_id, old.cost_month, -1, 0
			WHERE old.cost_category = 'SERVICE' AND old.cost_month IS NOT NULL AND coalesce(old.cost_free_reason, '') NOT IN ('free_entry_point', 'not_delivered')
		ON CONFLICT DO UPDATE SET sent = sent + excluded.sent;
	INSERT INTO service_counts (organization_id, account_id, month, sent, delivered)
		SELECT new.organization_id, new.account_id, new.cost_month, 1, 0
			WHERE new.cost_category = 'SERVICE' AND new.cost_month IS NOT NULL AND coalesce(new.cost_free_reason, '') NOT IN ('free_entry_point', 'not_delivered')
		ON CONFLICT DO UPDATE SET sent = sent + excluded.sent;
	INSERT INTO service_counts (organization_id, account_id, month, sent, delivered)
		SELECT old.organization_id, old.account_id, old.allowance_month, 0, -1 WHERE old.allowance_month IS NOT NULL
		ON CONFLICT DO UPDATE SET delivered = delivered + excluded.delivered;
	INSERT INTO service_counts (organization_id, account_id, month, sent, delivered)
		SELECT new.organization_id, new.account_id, new.allowance_month, 0, 1 WHERE new.allowance_month IS NOT NULL
		ON CONFLICT DO UPDATE SET delivered = delivered + excluded.delivered;
END;

CREATE TRIGGER service_counts_erased AFTER DELETE ON messages WHEN old.allowance_month IS NOT NULL AND old.cost_micros = 0 BEGIN
	UPDATE service_counts SET erased_free = erased_free + 1 WHERE organization_id = old.organization_id AND account_id = old.account_id AND month = old.allowance_month;
END;
