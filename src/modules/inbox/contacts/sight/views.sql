CREATE VIEW `contact_sight` (`organization_id`, `contact_id`, `viewer_id`) AS
	SELECT `organization_id`, `id`, `assigned_to` FROM `contacts` WHERE `assigned_to` IS NOT NULL
	UNION SELECT `organization_id`, `id`, `assigned_team_id` FROM `contacts` WHERE `assigned_team_id` IS NOT NULL
	UNION SELECT `organization_id`, `contact_id`, `assigned_to` FROM `conversations` WHERE `assigned_to` IS NOT NULL
	UNION SELECT `organization_id`, `contact_id`, `team_id` FROM `conversations` WHERE `team_id` IS NOT NULL
	UNION SELECT `organization_id`, `contact_id`, coalesce(`agent_id`, `team_id`, x'00000000000000000000000000000001') FROM `transfers` WHERE `status` = 'active'
	UNION SELECT `organization_id`, `id`, zeroblob(16) FROM `contacts` WHERE `assigned_to` IS NULL AND `assigned_team_id` IS NULL
		AND NOT EXISTS (SELECT 1 FROM `conversations` WHERE `organization_id` = `contacts`.`organization_id` AND `contact_id` = `contacts`.`id` AND (`assigned_to` IS NOT NULL OR `team_id` IS NOT NULL))
		AND NOT EXISTS (SELECT 1 FROM `transfers` WHERE `organization_id` = `contacts`.`organization_id` AND `contact_id` = `contacts`.`id` AND `status` = 'active');
