CREATE TRIGGER scheduled_reports_member_left AFTER DELETE ON memberships BEGIN
	UPDATE scheduled_reports SET made_by = NULL WHERE organization_id = old.organization_id AND made_by = old.user_id;
	DELETE FROM scheduled_report_recipients WHERE user_id = old.user_id AND organization_id = old.organization_id;
	DELETE FROM boards WHERE organization_id = old.organization_id AND user_id = old.user_id;
END;
