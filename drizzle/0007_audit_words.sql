DROP INDEX `audit_logs_words`;--> statement-breakpoint
ALTER TABLE `audit_logs` ADD `words` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`words`);--> statement-breakpoint
UPDATE `audit_logs` SET `words` = lower(`action` || char(10) || CASE WHEN `resource_name` GLOB '*[0-9][0-9][0-9][0-9][0-9]*' THEN '' ELSE coalesce(`resource_name`, '') END || char(10) || coalesce(`user_name`, ''));--> statement-breakpoint
DROP TRIGGER `roles_forgotten_by_invitations`;
