DROP TABLE `audit_counts`;--> statement-breakpoint
DROP TABLE `audit_texts`;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_audit_logs` (
	`row` integer PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`actor_type` text NOT NULL,
	`user_id` text,
	`user_name` text,
	`api_key_id` text,
	`action` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_id` text,
	`resource_name` text,
	`changes` text DEFAULT '[]' NOT NULL,
	`words` text DEFAULT '' NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`request_id` text,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_audit_logs`("row", "organization_id", "id", "actor_type", "user_id", "user_name", "api_key_id", "action", "resource_type", "resource_id", "resource_name", "changes", "words", "ip_address", "user_agent", "request_id", "created_at_ms") SELECT dense_rank() OVER (ORDER BY "organization_id") * 4294967296 + row_number() OVER (PARTITION BY "organization_id" ORDER BY "created_at_ms", "id"), "organization_id", "id", "actor_type", "user_id", "user_name", "api_key_id", "action", "resource_type", "resource_id", "resource_name", "changes", "words", "ip_address", "user_agent", "request_id", "created_at_ms" FROM `audit_logs`;--> statement-breakpoint
DROP TABLE `audit_logs`;--> statement-breakpoint
ALTER TABLE `__new_audit_logs` RENAME TO `audit_logs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `audit_logs_id` ON `audit_logs` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_row` ON `audit_logs` (`organization_id`,`row`);--> statement-breakpoint
CREATE INDEX `audit_logs_recent` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_type` ON `audit_logs` (`organization_id`,`resource_type`,`created_at_ms`,`id`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_action` ON `audit_logs` (`organization_id`,`action`,`created_at_ms`,`id`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_user` ON `audit_logs` (`organization_id`,`user_id`,`created_at_ms`,`id`,`action`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_key` ON `audit_logs` (`organization_id`,`api_key_id`,`created_at_ms`,`id`,`user_id`,`action`,`resource_type`,`words`) WHERE api_key_id is not null;--> statement-breakpoint
CREATE INDEX `audit_logs_resource` ON `audit_logs` (`organization_id`,`resource_id`,`created_at_ms`,`id`,`api_key_id`,`user_id`,`action`,`resource_type`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`words`);--> statement-breakpoint
CREATE INDEX `audit_logs_age` ON `audit_logs` (`created_at_ms`);--> statement-breakpoint
CREATE VIRTUAL TABLE `audit_search` USING fts5(`words`, content='audit_logs', content_rowid='row', tokenize='trigram case_sensitive 1', detail=none);--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`) VALUES ('rebuild');
