CREATE TRIGGER contact_viewers_added AFTER INSERT ON contacts BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id = new.id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id = new.id;
END;

CREATE TRIGGER contact_viewers_changed AFTER UPDATE OF assigned_to, assigned_team_id ON contacts
	WHEN old.assigned_to IS NOT new.assigned_to OR old.assigned_team_id IS NOT new.assigned_team_id BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id = new.id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id = new.id;
END;

CREATE TRIGGER contact_viewers_conversations_added AFTER INSERT ON conversations WHEN new.assigned_to IS NOT NULL OR new.team_id IS NOT NULL BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id = new.contact_id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id = new.contact_id;
END;

CREATE TRIGGER contact_viewers_conversations_changed AFTER UPDATE OF contact_id, assigned_to, team_id ON conversations
	WHEN old.contact_id <> new.contact_id OR old.assigned_to IS NOT new.assigned_to OR old.team_id IS NOT new.team_id BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id IN (old.contact_id, new.contact_id);
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id IN (old.contact_id, new.contact_id);
END;

CREATE TRIGGER contact_viewers_conversations_removed AFTER DELETE ON conversations WHEN old.assigned_to IS NOT NULL OR old.team_id IS NOT NULL BEGIN
	DELETE FROM contact_viewers WHERE organization_id = old.organization_id AND contact_id = old.contact_id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = old.organization_id AND contact_id = old.contact_id;
END;

CREATE TRIGGER contact_viewers_transfers_added AFTER INSERT ON transfers WHEN new.status = 'active' BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id = new.contact_id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id = new.contact_id;
END;

CREATE TRIGGER contact_viewers_transfers_changed AFTER UPDATE OF contact_id, status, agent_id, team_id ON transfers
	WHEN old.contact_id <> new.contact_id OR old.status <> new.status OR old.agent_id IS NOT new.agent_id OR old.team_id IS NOT new.team_id BEGIN
	DELETE FROM contact_viewers WHERE organization_id = new.organization_id AND contact_id IN (old.contact_id, new.contact_id);
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = new.organization_id AND contact_id IN (old.contact_id, new.contact_id);
END;

CREATE TRIGGER contact_viewers_transfers_removed AFTER DELETE ON transfers WHEN old.status = 'active' BEGIN
	DELETE FROM contact_viewers WHERE organization_id = old.organization_id AND contact_id = old.contact_id;
	INSERT INTO contact_viewers (organization_id, contact_id, viewer_id) SELECT * FROM contact_sight WHERE organization_id = old.organization_id AND contact_id = old.contact_id;
END;
