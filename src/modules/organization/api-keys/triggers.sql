CREATE TRIGGER api_key_permissions_deleted AFTER DELETE ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_key_permissions_inserted AFTER INSERT ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_key_permissions_updated AFTER UPDATE ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_keys_updated AFTER UPDATE OF key_hash, owner_user_id, owner_membership_id, is_active, expires_at_ms ON api_keys BEGIN
	UPDATE rights_version SET version = version + 1;
END;
