CREATE TABLE `audit_counts` (
	`organization_id` text NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`resource_type` text NOT NULL,
	`entries` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `actor`, `action`, `resource_type`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `membership_counts` (
	`organization_id` text NOT NULL,
	`role` text NOT NULL,
	`is_active` integer NOT NULL,
	`is_disabled` integer NOT NULL,
	`is_available` integer NOT NULL,
	`members` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `role`, `is_active`, `is_disabled`, `is_available`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `invitation_counts` (
	`organization_id` text NOT NULL,
	`state` text NOT NULL,
	`day` integer NOT NULL,
	`invitations` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `state`, `day`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX `api_keys_recent`;--> statement-breakpoint
CREATE INDEX `api_keys_recent` ON `api_keys` (`organization_id`,`created_at_ms`,`id`,`is_active`,`name_key`,`key_prefix`);--> statement-breakpoint
DROP INDEX `notifications_of_user`;--> statement-breakpoint
DROP INDEX `notifications_unread`;--> statement-breakpoint
CREATE INDEX `notifications_of_user` ON `notifications` (`organization_id`,`user_id`,`created_at_ms`,`id`,`read_at_ms`);--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`organization_id`,`user_id`,`created_at_ms`,`id`) WHERE "notifications"."read_at_ms" is null;
--> statement-breakpoint
CREATE TRIGGER `membership_counts_added` AFTER INSERT ON `memberships` BEGIN
	INSERT INTO `membership_counts` (`organization_id`, `role`, `is_active`, `is_disabled`, `is_available`, `members`)
		VALUES (new.`organization_id`, '', new.`is_active`, new.`is_disabled`, new.`is_available`, 1), (new.`organization_id`, new.`role_id`, new.`is_active`, new.`is_disabled`, new.`is_available`, 1)
		ON CONFLICT DO UPDATE SET `members` = `members` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `membership_counts_removed` AFTER DELETE ON `memberships` BEGIN
	UPDATE `membership_counts` SET `members` = `members` - 1 WHERE `organization_id` = old.`organization_id` AND `role` IN ('', old.`role_id`) AND `is_active` = old.`is_active` AND `is_disabled` = old.`is_disabled` AND `is_available` = old.`is_available`;
	DELETE FROM `membership_counts` WHERE `organization_id` = old.`organization_id` AND `role` IN ('', old.`role_id`) AND `is_active` = old.`is_active` AND `is_disabled` = old.`is_disabled` AND `is_available` = old.`is_available` AND `members` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `membership_counts_changed` AFTER UPDATE OF `organization_id`, `role_id`, `is_active`, `is_disabled`, `is_available` ON `memberships`
	WHEN (old.`organization_id`, old.`role_id`, old.`is_active`, old.`is_disabled`, old.`is_available`) <> (new.`organization_id`, new.`role_id`, new.`is_active`, new.`is_disabled`, new.`is_available`) BEGIN
	UPDATE `membership_counts` SET `members` = `members` - 1 WHERE `organization_id` = old.`organization_id` AND `role` IN ('', old.`role_id`) AND `is_active` = old.`is_active` AND `is_disabled` = old.`is_disabled` AND `is_available` = old.`is_available`;
	DELETE FROM `membership_counts` WHERE `organization_id` = old.`organization_id` AND `role` IN ('', old.`role_id`) AND `is_active` = old.`is_active` AND `is_disabled` = old.`is_disabled` AND `is_available` = old.`is_available` AND `members` = 0;
	INSERT INTO `membership_counts` (`organization_id`, `role`, `is_active`, `is_disabled`, `is_available`, `members`)
		VALUES (new.`organization_id`, '', new.`is_active`, new.`is_disabled`, new.`is_available`, 1), (new.`organization_id`, new.`role_id`, new.`is_active`, new.`is_disabled`, new.`is_available`, 1)
		ON CONFLICT DO UPDATE SET `members` = `members` + 1;
END;
--> statement-breakpoint
INSERT INTO `membership_counts` (`organization_id`, `role`, `is_active`, `is_disabled`, `is_available`, `members`)
	SELECT `organization_id`, '', `is_active`, `is_disabled`, `is_available`, count(*) FROM `memberships` GROUP BY 1, 3, 4, 5;
--> statement-breakpoint
INSERT INTO `membership_counts` (`organization_id`, `role`, `is_active`, `is_disabled`, `is_available`, `members`)
	SELECT `organization_id`, `role_id`, `is_active`, `is_disabled`, `is_available`, count(*) FROM `memberships` GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
CREATE TRIGGER `audit_counts_added` AFTER INSERT ON `audit_logs` BEGIN
	INSERT INTO `audit_counts` (`organization_id`, `actor`, `action`, `resource_type`, `entries`)
		SELECT new.`organization_id`, `column1`, new.`action`, new.`resource_type`, 1 FROM (VALUES (''), (new.`user_id`), (new.`api_key_id`)) WHERE `column1` IS NOT NULL
		ON CONFLICT DO UPDATE SET `entries` = `entries` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_counts_removed` AFTER DELETE ON `audit_logs` BEGIN
	UPDATE `audit_counts` SET `entries` = `entries` - 1 WHERE `organization_id` = old.`organization_id` AND `actor` IN ('', old.`user_id`, old.`api_key_id`) AND `action` = old.`action` AND `resource_type` = old.`resource_type`;
	DELETE FROM `audit_counts` WHERE `organization_id` = old.`organization_id` AND `actor` IN ('', old.`user_id`, old.`api_key_id`) AND `action` = old.`action` AND `resource_type` = old.`resource_type` AND `entries` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_counts_changed` AFTER UPDATE OF `organization_id`, `user_id`, `api_key_id`, `action`, `resource_type` ON `audit_logs` BEGIN
	UPDATE `audit_counts` SET `entries` = `entries` - 1 WHERE `organization_id` = old.`organization_id` AND `actor` IN ('', old.`user_id`, old.`api_key_id`) AND `action` = old.`action` AND `resource_type` = old.`resource_type`;
	DELETE FROM `audit_counts` WHERE `organization_id` = old.`organization_id` AND `actor` IN ('', old.`user_id`, old.`api_key_id`) AND `action` = old.`action` AND `resource_type` = old.`resource_type` AND `entries` = 0;
	INSERT INTO `audit_counts` (`organization_id`, `actor`, `action`, `resource_type`, `entries`)
		SELECT new.`organization_id`, `column1`, new.`action`, new.`resource_type`, 1 FROM (VALUES (''), (new.`user_id`), (new.`api_key_id`)) WHERE `column1` IS NOT NULL
		ON CONFLICT DO UPDATE SET `entries` = `entries` + 1;
END;
--> statement-breakpoint
INSERT INTO `audit_counts` (`organization_id`, `actor`, `action`, `resource_type`, `entries`)
	SELECT `organization_id`, '', `action`, `resource_type`, count(*) FROM `audit_logs` GROUP BY 1, 3, 4;
--> statement-breakpoint
INSERT INTO `audit_counts` (`organization_id`, `actor`, `action`, `resource_type`, `entries`)
	SELECT `organization_id`, `user_id`, `action`, `resource_type`, count(*) FROM `audit_logs` WHERE `user_id` IS NOT NULL GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
INSERT INTO `audit_counts` (`organization_id`, `actor`, `action`, `resource_type`, `entries`)
	SELECT `organization_id`, `api_key_id`, `action`, `resource_type`, count(*) FROM `audit_logs` WHERE `api_key_id` IS NOT NULL GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
CREATE TRIGGER `invitation_counts_added` AFTER INSERT ON `invitations` BEGIN
	INSERT INTO `invitation_counts` (`organization_id`, `state`, `day`, `invitations`)
		VALUES (new.`organization_id`, CASE WHEN new.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN new.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END, CASE WHEN new.`accepted_at_ms` IS NULL AND new.`revoked_at_ms` IS NULL THEN new.`expires_at_ms` / 86400000 ELSE 0 END, 1)
		ON CONFLICT DO UPDATE SET `invitations` = `invitations` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_counts_removed` AFTER DELETE ON `invitations` BEGIN
	UPDATE `invitation_counts` SET `invitations` = `invitations` - 1 WHERE `organization_id` = old.`organization_id` AND `state` = CASE WHEN old.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN old.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END AND `day` = CASE WHEN old.`accepted_at_ms` IS NULL AND old.`revoked_at_ms` IS NULL THEN old.`expires_at_ms` / 86400000 ELSE 0 END;
	DELETE FROM `invitation_counts` WHERE `organization_id` = old.`organization_id` AND `state` = CASE WHEN old.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN old.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END AND `day` = CASE WHEN old.`accepted_at_ms` IS NULL AND old.`revoked_at_ms` IS NULL THEN old.`expires_at_ms` / 86400000 ELSE 0 END AND `invitations` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_counts_changed` AFTER UPDATE OF `organization_id`, `accepted_at_ms`, `revoked_at_ms`, `expires_at_ms` ON `invitations` BEGIN
	UPDATE `invitation_counts` SET `invitations` = `invitations` - 1 WHERE `organization_id` = old.`organization_id` AND `state` = CASE WHEN old.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN old.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END AND `day` = CASE WHEN old.`accepted_at_ms` IS NULL AND old.`revoked_at_ms` IS NULL THEN old.`expires_at_ms` / 86400000 ELSE 0 END;
	DELETE FROM `invitation_counts` WHERE `organization_id` = old.`organization_id` AND `state` = CASE WHEN old.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN old.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END AND `day` = CASE WHEN old.`accepted_at_ms` IS NULL AND old.`revoked_at_ms` IS NULL THEN old.`expires_at_ms` / 86400000 ELSE 0 END AND `invitations` = 0;
	INSERT INTO `invitation_counts` (`organization_id`, `state`, `day`, `invitations`)
		VALUES (new.`organization_id`, CASE WHEN new.`accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN new.`revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END, CASE WHEN new.`accepted_at_ms` IS NULL AND new.`revoked_at_ms` IS NULL THEN new.`expires_at_ms` / 86400000 ELSE 0 END, 1)
		ON CONFLICT DO UPDATE SET `invitations` = `invitations` + 1;
END;
--> statement-breakpoint
INSERT INTO `invitation_counts` (`organization_id`, `state`, `day`, `invitations`)
	SELECT `organization_id`, CASE WHEN `accepted_at_ms` IS NOT NULL THEN 'accepted' WHEN `revoked_at_ms` IS NOT NULL THEN 'revoked' ELSE 'open' END, CASE WHEN `accepted_at_ms` IS NULL AND `revoked_at_ms` IS NULL THEN `expires_at_ms` / 86400000 ELSE 0 END, count(*) FROM `invitations` GROUP BY 1, 2, 3;
