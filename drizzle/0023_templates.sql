CREATE TABLE `message_files` (
	`organization_id` text NOT NULL,
	`message_id` text NOT NULL,
	`media_id` text NOT NULL,
	PRIMARY KEY(`organization_id`, `message_id`, `media_id`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_files_media` ON `message_files` (`organization_id`,`media_id`);--> statement-breakpoint
CREATE TABLE `message_templates` (
	`organization_id` text NOT NULL,
	`message_id` text NOT NULL,
	`template_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `message_id`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_templates_template` ON `message_templates` (`organization_id`,`template_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `prices` (
	`id` text PRIMARY KEY NOT NULL,
	`country` text NOT NULL,
	`category` text NOT NULL,
	`kind` text NOT NULL,
	`currency` text NOT NULL,
	`price_micros` integer NOT NULL,
	`applies` text DEFAULT 'always' NOT NULL,
	`free_per_month` integer,
	`effective_from_ms` integer NOT NULL,
	`source` text DEFAULT '' NOT NULL,
	`created_at_ms` integer NOT NULL,
	CONSTRAINT "prices_not_negative" CHECK("prices"."price_micros" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `prices_row` ON `prices` (`kind`,`country`,`category`,`currency`,`applies`,`effective_from_ms`);--> statement-breakpoint
CREATE INDEX `prices_currency` ON `prices` (`currency`);--> statement-breakpoint
CREATE TABLE `template_card_files` (
	`organization_id` text NOT NULL,
	`template_id` text NOT NULL,
	`card` integer NOT NULL,
	`media_id` text NOT NULL,
	PRIMARY KEY(`organization_id`, `template_id`, `card`),
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `template_card_files_media` ON `template_card_files` (`organization_id`,`media_id`);--> statement-breakpoint
CREATE TABLE `templates` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`business_id` text NOT NULL,
	`platform_id` text,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`language` text NOT NULL,
	`language_key` text NOT NULL,
	`category` text NOT NULL,
	`announced_category` text,
	`announced_at_ms` integer,
	`status` text NOT NULL,
	`reason` text,
	`recommendation` text,
	`quality` text DEFAULT 'UNKNOWN' NOT NULL,
	`parameter_format` text NOT NULL,
	`components` text NOT NULL,
	`published_components` text,
	`sample_values` text DEFAULT '[]' NOT NULL,
	`message_send_ttl_s` integer,
	`allows_category_change` integer DEFAULT true NOT NULL,
	`header_media_id` text,
	`has_local_changes` integer DEFAULT false NOT NULL,
	`edits` text DEFAULT '[]' NOT NULL,
	`status_at_ms` integer DEFAULT 0 NOT NULL,
	`quality_at_ms` integer DEFAULT 0 NOT NULL,
	`category_at_ms` integer DEFAULT 0 NOT NULL,
	`components_at_ms` integer DEFAULT 0 NOT NULL,
	`words` text NOT NULL,
	`synced_at_ms` integer,
	`created_by` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`header_media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "templates_deleted" CHECK("templates"."deleted_at_ms" is null or "templates"."status" = 'DELETED')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_name` ON `templates` (`organization_id`,`business_id`,`name`,`language_key`) WHERE "templates"."status" <> 'DELETED';--> statement-breakpoint
CREATE UNIQUE INDEX `templates_platform_id` ON `templates` (`organization_id`,`business_id`,`platform_id`) WHERE "templates"."platform_id" is not null and "templates"."status" <> 'DELETED';--> statement-breakpoint
CREATE INDEX `templates_list` ON `templates` (`organization_id`,`created_at_ms`,`id`) WHERE "templates"."deleted_at_ms" is null;--> statement-breakpoint
CREATE INDEX `templates_media` ON `templates` (`organization_id`,`header_media_id`) WHERE "templates"."header_media_id" is not null;--> statement-breakpoint
ALTER TABLE `accounts` ADD `template_sync` text;