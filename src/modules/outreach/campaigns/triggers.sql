CREATE TRIGGER campaign_counts_added AFTER INSERT ON campaign_recipients BEGIN
	UPDATE campaign_counts SET
		pending = pending + (new.status = 'pending'), sending = sending + (new.status = 'sending'), sent = sent + (new.status = 'sent'),
		delivered = delivered + (new.status = 'delivered'), read = read + (new.status = 'read'), failed = failed + (new.status = 'failed'),
		unknown = unknown + (new.status = 'unknown'), skipped = skipped + (new.status = 'skipped'), cancelled = cancelled + (new.status = 'cancelled'),
		accepted = accepted + (new.sent_at_ms IS NOT NULL)
		WHERE organization_id = new.organization_id AND campaign_id = new.campaign_id;
END;

CREATE TRIGGER campaign_counts_changed AFTER UPDATE OF status, sent_at_ms, replied_at_ms, clicked_at_ms, opted_out_at_ms, cost_micros, is_cost_actual ON campaign_recipients
	WHEN old.status <> new.status OR (old.sent_at_ms IS NULL) <> (new.sent_at_ms IS NULL) OR (old.replied_at_ms IS NULL) <> (new.replied_at_ms IS NULL) OR (old.clicked_at_ms IS NULL) <> (new.clicked_at_ms IS NULL)
		OR (old.opted_out_at_ms IS NULL) <> (new.opted_out_at_ms IS NULL) OR old.cost_micros IS NOT new.cost_micros OR old.is_cost_actual <> new.is_cost_actual BEGIN
	UPDATE campaign_counts SET
		pending = pending + (new.status = 'pending') - (old.status = 'pending'), sending = sending + (new.status = 'sending') - (old.status = 'sending'),
		sent = sent + (new.status = 'sent') - (old.status = 'sent'), delivered = delivered + (new.status = 'delivered') - (old.status = 'delivered'),
		read = read + (new.status = 'read') - (old.status = 'read'), failed = failed + (new.status = 'failed') - (old.status = 'failed'),
		unknown = unknown + (new.status = 'unknown') - (old.status = 'unknown'), skipped = skipped + (new.status = 'skipped') - (old.status = 'skipped'),
		cancelled = cancelled + (new.status = 'cancelled') - (old.status = 'cancelled'),
		accepted = accepted + (new.sent_at_ms IS NOT NULL) - (old.sent_at_ms IS NOT NULL),
		replied = replied + (new.replied_at_ms IS NOT NULL) - (old.replied_at_ms IS NOT NULL),
		clicked = clicked + (new.clicked_at_ms IS NOT NULL) - (old.clicked_at_ms IS NOT NULL),
		opted_out = opted_out + (new.opted_out_at_ms IS NOT NULL) - (old.opted_out_at_ms IS NOT NULL),
		spent_micros = spent_micros + CASE WHEN new.status IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(new.cost_micros, 0) ELSE 0 END
			- CASE WHEN old.status IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(old.cost_micros, 0) ELSE 0 END,
		actual_micros = actual_micros + CASE WHEN new.is_cost_actual = 1 THEN coalesce(new.cost_micros, 0) ELSE 0 END
			- CASE WHEN old.is_cost_actual = 1 THEN coalesce(old.cost_micros, 0) ELSE 0 END
		WHERE organization_id = new.organization_id AND campaign_id = new.campaign_id;
END;

CREATE TRIGGER campaign_counts_removed AFTER DELETE ON campaign_recipients BEGIN
	UPDATE campaign_counts SET
		pending = pending - (old.status = 'pending'), sending = sending - (old.status = 'sending'), sent = sent - (old.status = 'sent'),
		delivered = delivered - (old.status = 'delivered'), read = read - (old.status = 'read'), failed = failed - (old.status = 'failed'),
		unknown = unknown - (old.status = 'unknown'), skipped = skipped - (old.status = 'skipped'), cancelled = cancelled - (old.status = 'cancelled'),
		replied = replied - (old.replied_at_ms IS NOT NULL), clicked = clicked - (old.clicked_at_ms IS NOT NULL),
		opted_out = opted_out - (old.opted_out_at_ms IS NOT NULL), accepted = accepted - (old.sent_at_ms IS NOT NULL),
		spent_micros = spent_micros - CASE WHEN old.status IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(old.cost_micros, 0) ELSE 0 END,
		actual_micros = actual_micros - CASE WHEN old.is_cost_actual = 1 THEN coalesce(old.cost_micros, 0) ELSE 0 END
		WHERE organization_id = old.organization_id AND campaign_id = old.campaign_id;
END;

CREATE TRIGGER campaign_counts_open_cost AFTER UPDATE OF open_cost_micros ON campaign_sends WHEN old.open_cost_micros IS NOT new.open_cost_micros BEGIN
	UPDATE campaign_counts SET spent_micros = spent_micros + coalesce(new.open_cost_micros, 0) - coalesce(old.open_cost_micros, 0)
		WHERE organization_id = new.organization_id AND campaign_id = new.campaign_id;
END;

CREATE TRIGGER campaign_errors_added AFTER INSERT ON campaign_recipients WHEN new.error_code IS NOT NULL BEGIN
	INSERT INTO campaign_errors (organization_id, campaign_id, code, recipients, failed) VALUES (new.organization_id, new.campaign_id, new.error_code, 1, new.status = 'failed')
		ON CONFLICT DO UPDATE SET recipients = recipients + 1, failed = failed + excluded.failed;
END;

CREATE TRIGGER campaign_errors_changed AFTER UPDATE OF status, error_code ON campaign_recipients
	WHEN (old.error_code IS NOT NULL OR new.error_code IS NOT NULL) AND (old.error_code IS NOT new.error_code OR (old.status = 'failed') <> (new.status = 'failed')) BEGIN
	UPDATE campaign_errors SET recipients = recipients - 1, failed = failed - (old.status = 'failed')
		WHERE organization_id = old.organization_id AND campaign_id = old.campaign_id AND code = old.error_code;
	INSERT INTO campaign_errors (organization_id, campaign_id, code, recipients, failed)
		SELECT new.organization_id, new.campaign_id, new.error_code, 1, new.status = 'failed' WHERE new.error_code IS NOT NULL
		ON CONFLICT DO UPDATE SET recipients = recipients + 1, failed = failed + excluded.failed;
END;

CREATE TRIGGER campaign_errors_removed AFTER DELETE ON campaign_recipients WHEN old.error_code IS NOT NULL BEGIN
	UPDATE campaign_errors SET recipients = recipients - 1, failed = failed - (old.status = 'failed')
		WHERE organization_id = old.organization_id AND campaign_id = old.campaign_id AND code = old.error_code;
END;

CREATE TRIGGER campaign_recipients_opted_out AFTER INSERT ON contact_consents WHEN new.state = 'opted_out' AND new.source IN ('keyword', 'platform', 'chatbot') BEGIN
	UPDATE campaign_recipients SET opted_out_at_ms = new.at_ms
		WHERE organization_id = new.organization_id AND opted_out_at_ms IS NULL AND rowid = (SELECT rowid FROM campaign_recipients
			WHERE organization_id = new.organization_id AND contact_id = new.contact_id AND sent_at_ms BETWEEN new.at_ms - 259200000 AND new.at_ms + 999
			ORDER BY sent_at_ms DESC, campaign_id DESC LIMIT 1);
END;
