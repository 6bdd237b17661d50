CREATE TRIGGER messages_forget_words AFTER DELETE ON messages BEGIN
	DELETE FROM message_words WHERE row = old.row;
END;

CREATE TRIGGER message_words_added AFTER INSERT ON message_words BEGIN
	INSERT INTO message_search (rowid, scope, words) VALUES (new.row, new.scope, new.words);
END;

CREATE TRIGGER message_words_changed AFTER UPDATE ON message_words BEGIN
	INSERT INTO message_search (message_search, rowid, scope, words) VALUES ('delete', old.row, old.scope, old.words);
	INSERT INTO message_search (rowid, scope, words) VALUES (new.row, new.scope, new.words);
END;

CREATE TRIGGER message_words_removed AFTER DELETE ON message_words BEGIN
	INSERT INTO message_search (message_search, rowid, scope, words) VALUES ('delete', old.row, old.scope, old.words);
END;

CREATE TRIGGER campaign_sends_unlink_message BEFORE DELETE ON messages WHEN old.source = 'campaign' BEGIN
	UPDATE campaign_sends SET message_id = NULL WHERE organization_id = old.organization_id AND message_id = old.id;
END;
