CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER users_updated AFTER UPDATE OF is_super_admin, is_disabled, full_name ON users BEGIN
	UPDATE rights_version SET version = version + 1;
END;
