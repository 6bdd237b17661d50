CREATE TRIGGER messages_forget_words BEFORE DELETE ON messages BEGIN
	DELETE FROM message_words WHERE row = old.row;
END;

CREATE TRIGGER messages_keep_words BEFORE UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
	UPDATE message_words SET words = old.content ->> 'text' WHERE row = old.row AND words IS NULL;
END;

CREATE TRIGGER message_words_added AFTER INSERT ON message_words BEGIN
	INSERT INTO message_search (rowid, scope, words) VALUES (new.row, new.scope, coalesce(new.words, (SELECT content ->> 'text' FROM messages WHERE row = new.row)));
END;

CREATE TRIGGER message_words_changed AFTER UPDATE ON message_words BEGIN
	INSERT INTO message_search (message_search, rowid, scope, words) VALUES ('delete', old.row, old.scope, coalesce(old.words, (SELECT content ->> 'text' FROM messages WHERE row = old.row)));
	INSERT INTO message_search (rowid, scope, words) VALUES (new.row, new.scope, coalesce(new.words, (SELECT content ->> 'text' FROM messages WHERE row = new.row)));
END;

CREATE TRIGGER message_words_removed BEFORE DELETE ON message_words BEGIN
	INSERT INTO message_search (message_search, rowid, scope, words) VALUES ('delete', old.row, old.scope, coalesce(old.words, (SELECT content ->> 'text' FROM messages WHERE row = old.row)));
END;

CREATE TRIGGER campaign_sends_unlink_message BEFORE DELETE ON messages WHEN old.source = 'campaign' BEGIN
	UPDATE campaign_sends SET message_id = NULL WHERE organization_id = old.organization_id AND message_id = old.id;
END;
