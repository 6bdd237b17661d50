CREATE TABLE `audit_texts` (
	`organization_id` text NOT NULL,
	`block` text NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`organization_id`, `block`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `membership_texts` (
	`organization_id` text NOT NULL,
	`block` text NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`organization_id`, `block`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `invitation_texts` (
	`organization_id` text NOT NULL,
	`block` text NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`organization_id`, `block`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_added` AFTER INSERT ON `memberships` BEGIN
	INSERT INTO `membership_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`words`, 1, length(new.`words`)), char(10), char(31)) || char(31) || new.`is_active` || new.`is_disabled` || new.`is_available` || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_removed` AFTER DELETE ON `memberships` BEGIN
	UPDATE `membership_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `membership_texts` AS `own`,
			(SELECT replace(substr(old.`words`, 1, length(old.`words`)), char(10), char(31)) || char(31) || old.`is_active` || old.`is_disabled` || old.`is_available` || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `membership_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_changed` AFTER UPDATE OF `organization_id`, `id`, `words`, `is_active`, `is_disabled`, `is_available`, `created_at_ms` ON `memberships`
	WHEN (old.`organization_id`, old.`id`, old.`words`, old.`is_active`, old.`is_disabled`, old.`is_available`, old.`created_at_ms`) <> (new.`organization_id`, new.`id`, new.`words`, new.`is_active`, new.`is_disabled`, new.`is_available`, new.`created_at_ms`) BEGIN
	UPDATE `membership_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `membership_texts` AS `own`,
			(SELECT replace(substr(old.`words`, 1, length(old.`words`)), char(10), char(31)) || char(31) || old.`is_active` || old.`is_disabled` || old.`is_available` || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `membership_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
	INSERT INTO `membership_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`words`, 1, length(new.`words`)), char(10), char(31)) || char(31) || new.`is_active` || new.`is_disabled` || new.`is_available` || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
INSERT INTO `membership_texts` (`organization_id`, `block`, `lines`)
	SELECT `organization_id`, substr(`id`, -3), group_concat(replace(substr(`words`, 1, length(`words`)), char(10), char(31)) || char(31) || `is_active` || `is_disabled` || `is_available` || char(31) || printf('%011X', `created_at_ms`) || char(10), '') FROM `memberships` GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `audit_texts_added` AFTER INSERT ON `audit_logs` BEGIN
	INSERT INTO `audit_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`words`, 1, length(new.`words`)), char(10), char(31)) || char(31) || upper(new.`resource_type`) || ' ' || upper(new.`action`) || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_texts_removed` AFTER DELETE ON `audit_logs` BEGIN
	UPDATE `audit_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `audit_texts` AS `own`,
			(SELECT replace(substr(old.`words`, 1, length(old.`words`)), char(10), char(31)) || char(31) || upper(old.`resource_type`) || ' ' || upper(old.`action`) || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `audit_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `audit_texts_changed` AFTER UPDATE OF `organization_id`, `id`, `words`, `action`, `resource_type`, `created_at_ms` ON `audit_logs`
	WHEN (old.`organization_id`, old.`id`, old.`words`, old.`action`, old.`resource_type`, old.`created_at_ms`) <> (new.`organization_id`, new.`id`, new.`words`, new.`action`, new.`resource_type`, new.`created_at_ms`) BEGIN
	UPDATE `audit_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `audit_texts` AS `own`,
			(SELECT replace(substr(old.`words`, 1, length(old.`words`)), char(10), char(31)) || char(31) || upper(old.`resource_type`) || ' ' || upper(old.`action`) || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `audit_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
	INSERT INTO `audit_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`words`, 1, length(new.`words`)), char(10), char(31)) || char(31) || upper(new.`resource_type`) || ' ' || upper(new.`action`) || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
INSERT INTO `audit_texts` (`organization_id`, `block`, `lines`)
	SELECT `organization_id`, substr(`id`, -3), group_concat(replace(substr(`words`, 1, length(`words`)), char(10), char(31)) || char(31) || upper(`resource_type`) || ' ' || upper(`action`) || char(31) || printf('%011X', `created_at_ms`) || char(10), '') FROM `audit_logs` GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_added` AFTER INSERT ON `invitations` WHEN new.`email` IS NOT NULL BEGIN
	INSERT INTO `invitation_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`email`, 1, length(new.`email`)), char(10), char(31)) || char(31) || '' || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_removed` AFTER DELETE ON `invitations` WHEN old.`email` IS NOT NULL BEGIN
	UPDATE `invitation_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `invitation_texts` AS `own`,
			(SELECT replace(substr(old.`email`, 1, length(old.`email`)), char(10), char(31)) || char(31) || '' || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `invitation_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_left` AFTER UPDATE OF `organization_id`, `id`, `email`, `created_at_ms` ON `invitations` WHEN old.`email` IS NOT NULL BEGIN
	UPDATE `invitation_texts` SET `lines` = substr(`lines`, 1, `place` - 1) || substr(`lines`, `place` + length(`line`))
		FROM (SELECT `own`.`block` AS `at`, `line`, instr(char(10) || `own`.`lines`, char(10) || `line`) AS `place` FROM `invitation_texts` AS `own`,
			(SELECT replace(substr(old.`email`, 1, length(old.`email`)), char(10), char(31)) || char(31) || '' || char(31) || printf('%011X', old.`created_at_ms`) || char(10) AS `line`)
			WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3))
		WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `block` = `at` AND `place` > 0;
	DELETE FROM `invitation_texts` WHERE `organization_id` = old.`organization_id` AND `block` = substr(old.`id`, -3) AND `lines` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_came` AFTER UPDATE OF `organization_id`, `id`, `email`, `created_at_ms` ON `invitations` WHEN new.`email` IS NOT NULL BEGIN
	INSERT INTO `invitation_texts` (`organization_id`, `block`, `lines`)
		VALUES (new.`organization_id`, substr(new.`id`, -3), replace(substr(new.`email`, 1, length(new.`email`)), char(10), char(31)) || char(31) || '' || char(31) || printf('%011X', new.`created_at_ms`) || char(10))
		ON CONFLICT DO UPDATE SET `lines` = `lines` || excluded.`lines`;
END;
--> statement-breakpoint
INSERT INTO `invitation_texts` (`organization_id`, `block`, `lines`)
	SELECT `organization_id`, substr(`id`, -3), group_concat(replace(substr(`email`, 1, length(`email`)), char(10), char(31)) || char(31) || '' || char(31) || printf('%011X', `created_at_ms`) || char(10), '') FROM `invitations` WHERE `email` IS NOT NULL GROUP BY 1, 2;
