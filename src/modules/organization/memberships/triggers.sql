CREATE TRIGGER memberships_deleted AFTER DELETE ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER memberships_inserted AFTER INSERT ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER memberships_updated AFTER UPDATE OF organization_id, id, user_id, role_id, is_active, is_confirmed ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;
