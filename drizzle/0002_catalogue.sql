CREATE TABLE `permission_seeds` (
	`number` integer PRIMARY KEY NOT NULL,
	`applied_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_logs_key` ON `audit_logs` (`organization_id`,`api_key_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_action` ON `audit_logs` (`organization_id`,`action`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`action`,`resource_name`,`user_name`);--> statement-breakpoint
CREATE INDEX `roles_sorted` ON `roles` (`organization_id`,"is_system" desc,`name_key`);
--> statement-breakpoint
CREATE TRIGGER `roles_forgotten_by_invitations` BEFORE DELETE ON `roles` BEGIN
	UPDATE `invitations` SET `role_id` = NULL WHERE `organization_id` = OLD.`organization_id` AND `role_id` = OLD.`id`;
END;
