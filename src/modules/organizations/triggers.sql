CREATE TRIGGER organizations_gone AFTER DELETE ON organizations BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER organizations_rights AFTER UPDATE OF mask_phone_numbers ON organizations BEGIN
	UPDATE rights_version SET version = version + 1;
END;
