CREATE TRIGGER contact_tags_added AFTER INSERT ON contact_tags BEGIN
	UPDATE tags SET contact_count = contact_count + 1 WHERE organization_id = new.organization_id AND id = new.tag_id
		AND EXISTS (SELECT 1 FROM contacts WHERE organization_id = new.organization_id AND id = new.contact_id AND deleted_at_ms IS NULL);
END;

CREATE TRIGGER contact_tags_removed AFTER DELETE ON contact_tags BEGIN
	UPDATE tags SET contact_count = contact_count - 1 WHERE organization_id = old.organization_id AND id = old.tag_id
		AND EXISTS (SELECT 1 FROM contacts WHERE organization_id = old.organization_id AND id = old.contact_id AND deleted_at_ms IS NULL);
END;

CREATE TRIGGER contact_words_added AFTER INSERT ON contact_words WHEN new.words <> '' BEGIN
	INSERT INTO contact_terms (organization_id, term, contact_id)
		SELECT new.organization_id, value, new.contact_id FROM json_each('["' || replace(substr(new.words, 2), ' ', '","') || '"]');
END;

CREATE TRIGGER contact_words_changed AFTER UPDATE OF words ON contact_words WHEN old.words <> new.words BEGIN
	DELETE FROM contact_terms WHERE old.words <> '' AND organization_id = old.organization_id AND contact_id = old.contact_id
		AND term IN (SELECT value FROM json_each('["' || replace(substr(old.words, 2), ' ', '","') || '"]'));
	INSERT INTO contact_terms (organization_id, term, contact_id)
		SELECT new.organization_id, value, new.contact_id FROM json_each('["' || replace(substr(new.words, 2), ' ', '","') || '"]') WHERE new.words <> '';
END;

CREATE TRIGGER contact_words_removed AFTER DELETE ON contact_words WHEN old.words <> '' BEGIN
	DELETE FROM contact_terms WHERE organization_id = old.organization_id AND contact_id = old.contact_id
		AND term IN (SELECT value FROM json_each('["' || replace(substr(old.words, 2), ' ', '","') || '"]'));
END;

CREATE TRIGGER contact_counts_added AFTER INSERT ON contacts WHEN new.deleted_at_ms IS NULL BEGIN
	INSERT INTO contact_counts (organization_id, contacts) VALUES (new.organization_id, 1) ON CONFLICT DO UPDATE SET contacts = contacts + 1;
END;

CREATE TRIGGER contact_counts_removed AFTER DELETE ON contacts WHEN old.deleted_at_ms IS NULL BEGIN
	UPDATE contact_counts SET contacts = contacts - 1 WHERE organization_id = old.organization_id;
END;

CREATE TRIGGER contact_tags_deleted_contact AFTER UPDATE OF deleted_at_ms ON contacts WHEN (old.deleted_at_ms IS NULL) <> (new.deleted_at_ms IS NULL) BEGIN
	UPDATE tags SET contact_count = contact_count + CASE WHEN new.deleted_at_ms IS NULL THEN 1 ELSE -1 END
		WHERE organization_id = new.organization_id
		AND id IN (SELECT tag_id FROM contact_tags WHERE organization_id = new.organization_id AND contact_id = new.id);
END;

CREATE TRIGGER contact_words_deleted_contact AFTER UPDATE OF deleted_at_ms ON contacts WHEN old.deleted_at_ms IS NULL AND new.deleted_at_ms IS NOT NULL BEGIN
	DELETE FROM contact_words WHERE organization_id = new.organization_id AND contact_id = new.id;
END;

CREATE TRIGGER conversation_counts_contact AFTER UPDATE OF deleted_at_ms ON contacts WHEN (old.deleted_at_ms IS NULL) <> (new.deleted_at_ms IS NULL) BEGIN
	INSERT INTO conversation_counts (organization_id, account_id, assigned_to, team_id, state, conversations, unread)
		SELECT organization_id, account_id, coalesce(assigned_to, zeroblob(16)), coalesce(team_id, zeroblob(16)), state, CASE WHEN new.deleted_at_ms IS NULL THEN 1 ELSE -1 END, CASE WHEN unread_count = 0 THEN 0 WHEN new.deleted_at_ms IS NULL THEN 1 ELSE -1 END
		FROM conversations WHERE organization_id = new.organization_id AND contact_id = new.id
		ON CONFLICT DO UPDATE SET conversations = conversations + excluded.conversations, unread = unread + excluded.unread;
	INSERT INTO contact_counts (organization_id, contacts) VALUES (new.organization_id, CASE WHEN new.deleted_at_ms IS NULL THEN 1 ELSE -1 END)
		ON CONFLICT DO UPDATE SET contacts = contacts + excluded.contacts;
END;
