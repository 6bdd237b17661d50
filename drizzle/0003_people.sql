ALTER TABLE `memberships` ADD `words` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `memberships_by_name` ON `memberships` (`organization_id`,`words`,`id`,`user_id`,`role_id`,`is_active`,`is_available`);--> statement-breakpoint
CREATE INDEX `memberships_recent` ON `memberships` (`organization_id`,`created_at_ms`,`id`,`user_id`,`role_id`,`is_active`,`words`);