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
