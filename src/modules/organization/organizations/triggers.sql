CREATE TRIGGER organizations_deleted AFTER DELETE ON organizations BEGIN
	UPDATE rights_version SET version = version + 1;
END;

CREATE TRIGGER organizations_updated AFTER UPDATE OF mask_phone_numbers, state ON organizations BEGIN
	UPDATE rights_version SET version = version + 1;
END;
