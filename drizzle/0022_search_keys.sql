DROP INDEX `audit_logs_resource`;--> statement-breakpoint
DROP INDEX `audit_logs_words`;--> statement-breakpoint
CREATE INDEX `audit_logs_type` ON `audit_logs` (`organization_id`,`resource_type`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_resource` ON `audit_logs` (`organization_id`,`resource_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`words`,`action`,`resource_type`,`user_id`,`api_key_id`,`resource_id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `canned_responses` ADD `words` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `organizations_by_name` ON `organizations` (`name_key`,`id`);--> statement-breakpoint
ALTER TABLE `roles` ADD `words` text DEFAULT '' NOT NULL;