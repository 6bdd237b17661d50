CREATE TRIGGER memberships_gone AFTER DELETE ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER memberships_made AFTER INSERT ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER memberships_rights AFTER UPDATE OF organization_id, id, user_id, role_id, is_active ON memberships BEGIN
	UPDATE rights_version SET version = version + 1;
END;
