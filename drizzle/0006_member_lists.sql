DROP INDEX `memberships_role`;--> statement-breakpoint
DROP INDEX `memberships_by_name`;--> statement-breakpoint
DROP INDEX `memberships_recent`;--> statement-breakpoint
ALTER TABLE `memberships` ADD `is_disabled` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `memberships_role_recent` ON `memberships` (`organization_id`,`role_id`,`created_at_ms`,`id`,`is_active`,`is_disabled`,`is_available`,`words`);--> statement-breakpoint
CREATE INDEX `memberships_role` ON `memberships` (`organization_id`,`role_id`,`words`,`is_active`,`is_disabled`,`is_available`);--> statement-breakpoint
CREATE INDEX `memberships_by_name` ON `memberships` (`organization_id`,`words`,`is_active`,`is_disabled`,`is_available`);--> statement-breakpoint
CREATE INDEX `memberships_recent` ON `memberships` (`organization_id`,`created_at_ms`,`id`,`is_active`,`is_disabled`,`is_available`,`words`);--> statement-breakpoint
UPDATE `memberships` SET `is_disabled` = 1 WHERE `user_id` IN (SELECT `id` FROM `users` WHERE `is_disabled` = 1);
