CREATE TRIGGER api_key_permissions_gone AFTER DELETE ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_key_permissions_made AFTER INSERT ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_key_permissions_rights AFTER UPDATE ON api_key_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_keys_gone AFTER DELETE ON api_keys BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER api_keys_rights AFTER UPDATE OF key_hash, owner_user_id, owner_membership_id, is_active, expires_at_ms ON api_keys BEGIN
	UPDATE rights_version SET version = version + 1;
END;
