ALTER TABLE `memberships` ADD `words` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `memberships_by_name` ON `memberships` (`organization_id`,`words`,`id`,`user_id`,`role_id`,`is_active`,`is_available`);--> statement-breakpoint
CREATE INDEX `memberships_recent` ON `memberships` (`organization_id`,`created_at_ms`,`id`,`user_id`,`role_id`,`is_active`,`words`);--> statement-breakpoint
ALTER TABLE `users` ADD `orphaned_at_ms` integer;--> statement-breakpoint
CREATE INDEX `users_disabled` ON `users` (`id`) WHERE "users"."is_disabled" = 1;--> statement-breakpoint
CREATE INDEX `users_orphaned` ON `users` (`orphaned_at_ms`) WHERE "users"."orphaned_at_ms" is not null;--> statement-breakpoint
UPDATE `memberships` SET `words` = (SELECT lower(`full_name`) || char(10) || `email` FROM `users` WHERE `users`.`id` = `memberships`.`user_id`);--> statement-breakpoint
CREATE TRIGGER `roles_leave_invitations` BEFORE DELETE ON `roles` BEGIN
	UPDATE `invitations` SET `role_id` = NULL WHERE `organization_id` = OLD.`organization_id` AND `role_id` = OLD.`id`;
END;
