CREATE TRIGGER conversation_counts_added AFTER INSERT ON conversations BEGIN
	INSERT INTO conversation_counts (organization_id, account_id, assigned_to, team_id, state, conversations, unread)
		SELECT new.organization_id, new.account_id, coalesce(new.assigned_to, zeroblob(16)), coalesce(new.team_id, zeroblob(16)), new.state, 1, (new.unread_count > 0) WHERE EXISTS (SELECT 1 FROM contacts WHERE organization_id = new.organization_id AND id = new.contact_id AND deleted_at_ms IS NULL)
		ON CONFLICT DO UPDATE SET conversations = conversations + excluded.conversations, unread = unread + excluded.unread;
END;

CREATE TRIGGER conversation_counts_changed AFTER UPDATE OF contact_id, account_id, assigned_to, team_id, state, unread_count ON conversations
	WHEN old.contact_id <> new.contact_id OR old.account_id <> new.account_id OR old.assigned_to IS NOT new.assigned_to OR old.team_id IS NOT new.team_id OR old.state <> new.state OR (old.unread_count > 0) <> (new.unread_count > 0) BEGIN
	INSERT INTO conversation_counts (organization_id, account_id, assigned_to, team_id, state, conversations, unread)
		SELECT old.organization_id, old.account_id, coalesce(old.assigned_to, zeroblob(16)), coalesce(old.team_id, zeroblob(16)), old.state, -1, -(old.unread_count > 0) WHERE EXISTS (SELECT 1 FROM contacts WHERE organization_id = old.organization_id AND id = old.contact_id AND deleted_at_ms IS NULL)
		ON CONFLICT DO UPDATE SET conversations = conversations + excluded.conversations, unread = unread + excluded.unread;
	INSERT INTO conversation_counts (organization_id, account_id, assigned_to, team_id, state, conversations, unread)
		SELECT new.organization_id, new.account_id, coalesce(new.assigned_to, zeroblob(16)), coalesce(new.team_id, zeroblob(16)), new.state, 1, (new.unread_count > 0) WHERE EXISTS (SELECT 1 FROM contacts WHERE organization_id = new.organization_id AND id = new.contact_id AND deleted_at_ms IS NULL)
		ON CONFLICT DO UPDATE SET conversations = conversations + excluded.conversations, unread = unread + excluded.unread;
END;

CREATE TRIGGER conversation_counts_removed AFTER DELETE ON conversations BEGIN
	INSERT INTO conversation_counts (organization_id, account_id, assigned_to, team_id, state, conversations, unread)
		SELECT old.organization_id, old.account_id, coalesce(old.assigned_to, zeroblob(16)), coalesce(old.team_id, zeroblob(16)), old.state, -1, -(old.unread_count > 0) WHERE EXISTS (SELECT 1 FROM contacts WHERE organization_id = old.organization_id AND id = old.contact_id AND deleted_at_ms IS NULL)
		ON CONFLICT DO UPDATE SET conversations = conversations + excluded.conversations, unread = unread + excluded.unread;
END;
