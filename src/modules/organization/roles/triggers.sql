CREATE TRIGGER role_permissions_deleted AFTER DELETE ON role_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER role_permissions_inserted AFTER INSERT ON role_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER role_permissions_updated AFTER UPDATE ON role_permissions BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER roles_deleted AFTER DELETE ON roles BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER roles_unlink_invitations BEFORE DELETE ON roles BEGIN
	UPDATE invitations SET role_id = NULL WHERE organization_id = OLD.organization_id AND role_id = OLD.id;
END;

CREATE TRIGGER roles_updated AFTER UPDATE OF name_key, is_system ON roles BEGIN
	UPDATE rights_version SET version = version + 1;
END;
