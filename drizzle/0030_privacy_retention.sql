CREATE TABLE `privacy_requests` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`contact_id` text NOT NULL,
	`reason` text,
	`requested_by` text,
	`counts` text DEFAULT '{}' NOT NULL,
	`parts_left` integer NOT NULL,
	`sha256` text,
	`stored_as` text,
	`bytes` integer,
	`error` text,
	`created_at_ms` integer NOT NULL,
	`completed_at_ms` integer,
	`expires_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "privacy_requests_ended" CHECK(("privacy_requests"."state" = 'running') = ("privacy_requests"."completed_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `privacy_requests_recent` ON `privacy_requests` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `privacy_requests_open` ON `privacy_requests` (`organization_id`,`contact_id`) WHERE "privacy_requests"."state" = 'running';--> statement-breakpoint
CREATE INDEX `privacy_requests_expiring` ON `privacy_requests` (`expires_at_ms`) WHERE "privacy_requests"."stored_as" is not null;--> statement-breakpoint
CREATE TABLE `suppressions` (
	`organization_id` text NOT NULL,
	`mark` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `mark`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `retention_settings` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`messages_days` integer,
	`media_days` integer,
	`notes_days` integer,
	`journal_days` integer,
	`contacts_inactive_days` integer,
	`is_legal_hold` integer DEFAULT false NOT NULL,
	`former` text DEFAULT '{}' NOT NULL,
	`changed_at_ms` integer NOT NULL,
	`last_run_day` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
