CREATE TABLE `flow_responses` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`flow_id` text,
	`token` text,
	`message_id` text NOT NULL,
	`data` text,
	`words` text NOT NULL,
	`completed_at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`flow_id`) REFERENCES `flows`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`token`) REFERENCES `flow_tokens`(`organization_id`,`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `flow_responses_token` ON `flow_responses` (`organization_id`,`token`) WHERE "flow_responses"."token" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `flow_responses_message` ON `flow_responses` (`organization_id`,`message_id`);--> statement-breakpoint
CREATE INDEX `flow_responses_recent` ON `flow_responses` (`organization_id`,`flow_id`,`completed_at_ms`,`id`) WHERE "flow_responses"."flow_id" is not null;--> statement-breakpoint
CREATE TABLE `flow_tokens` (
	`organization_id` text NOT NULL,
	`token` text NOT NULL,
	`flow_id` text NOT NULL,
	`account_id` text NOT NULL,
	`message_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `token`),
	FOREIGN KEY (`organization_id`,`flow_id`) REFERENCES `flows`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `flow_tokens_message` ON `flow_tokens` (`organization_id`,`message_id`);--> statement-breakpoint
CREATE TABLE `flow_exchanges` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`flow_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`action` text NOT NULL,
	`screen` text,
	`outcome` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`error` text,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`flow_id`) REFERENCES `flows`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `flow_exchanges_recent` ON `flow_exchanges` (`organization_id`,`flow_id`,`id`);--> statement-breakpoint
CREATE TABLE `flows` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`business_id` text NOT NULL,
	`meta_flow_id` text,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`status` text NOT NULL,
	`status_at_ms` integer DEFAULT 0 NOT NULL,
	`categories` text NOT NULL,
	`definition` text,
	`json_version` text,
	`data_api_version` text,
	`endpoint_mode` text NOT NULL,
	`endpoint_config` text DEFAULT '{}' NOT NULL,
	`endpoint_secret_sealed` text,
	`endpoint_headers_sealed` text,
	`validation_errors` text DEFAULT '[]' NOT NULL,
	`preview_url` text,
	`preview_expires_at_ms` integer,
	`has_local_changes` integer NOT NULL,
	`health` text,
	`alerts` text DEFAULT '{}' NOT NULL,
	`busy_since_ms` integer,
	`creating_since_ms` integer,
	`response_count` integer DEFAULT 0 NOT NULL,
	`synced_at_ms` integer,
	`created_by` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "flows_made" CHECK("flows"."status" in ('DRAFT', 'DEPRECATED') or "flows"."meta_flow_id" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `flows_platform_id` ON `flows` (`organization_id`,`meta_flow_id`) WHERE "flows"."meta_flow_id" is not null;--> statement-breakpoint
CREATE INDEX `flows_name` ON `flows` (`organization_id`,`account_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `flows_list` ON `flows` (`organization_id`,`created_at_ms`,`id`) WHERE "flows"."deleted_at_ms" is null;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_former_key_sealed` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_next_key_sealed` text;