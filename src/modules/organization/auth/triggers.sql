CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions WHEN old.ended_at_ms IS NULL BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER sessions_updated AFTER UPDATE OF user_id, expires_at_ms, ended_at_ms ON sessions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER token_cutoffs_deleted AFTER DELETE ON token_cutoffs BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER token_cutoffs_inserted AFTER INSERT ON token_cutoffs BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER token_cutoffs_updated AFTER UPDATE ON token_cutoffs BEGIN
	UPDATE rights_version SET version = version + 1;
END;
