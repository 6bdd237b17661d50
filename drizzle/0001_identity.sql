CREATE TABLE `idempotency_keys` (
	`organization_id` text NOT NULL,
	`caller` text NOT NULL,
	`key_hash` text NOT NULL,
	`route` text NOT NULL,
	`body_hash` text NOT NULL,
	`state` text NOT NULL,
	`status` integer,
	`answer_sealed` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `caller`, `key_hash`, `route`),
	CONSTRAINT "idempotency_answered" CHECK(("idempotency_keys"."state" = 'answered') = ("idempotency_keys"."answer_sealed" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `api_key_permissions` (
	`organization_id` text NOT NULL,
	`api_key_id` text NOT NULL,
	`permission` text NOT NULL,
	PRIMARY KEY(`organization_id`, `api_key_id`, `permission`),
	FOREIGN KEY (`organization_id`,`api_key_id`) REFERENCES `api_keys`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`key_prefix` text NOT NULL,
	`owner_user_id` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`expires_at_ms` integer,
	`last_used_at_ms` integer,
	`last_used_ip` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_recent` ON `api_keys` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`organization_id`,`owner_user_id`);--> statement-breakpoint
CREATE TABLE `audit_logs` (
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
	`ip_address` text,
	`user_agent` text,
	`request_id` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_logs_recent` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_resource` ON `audit_logs` (`organization_id`,`resource_type`,`resource_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_user` ON `audit_logs` (`organization_id`,`user_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `audit_logs_age` ON `audit_logs` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `backup_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`code_hmac` text NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `backup_codes_code` ON `backup_codes` (`user_id`,`code_hmac`);--> statement-breakpoint
CREATE TABLE `password_resets` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `password_resets_token` ON `password_resets` (`token_hash`);--> statement-breakpoint
CREATE INDEX `password_resets_of_user` ON `password_resets` (`user_id`);--> statement-breakpoint
CREATE TABLE `socket_tickets` (
	`id` text PRIMARY KEY NOT NULL,
	`ticket_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`access_expires_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `socket_tickets_hash` ON `socket_tickets` (`ticket_hash`);--> statement-breakpoint
CREATE INDEX `socket_tickets_age` ON `socket_tickets` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`link` text,
	`created_at_ms` integer NOT NULL,
	`read_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notifications_of_user` ON `notifications` (`organization_id`,`user_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`organization_id`,`user_id`) WHERE "notifications"."read_at_ms" is null;--> statement-breakpoint
CREATE INDEX `notifications_age` ON `notifications` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `invitations` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`email` text,
	`role_id` text,
	`token_hash` text NOT NULL,
	`invited_by` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`accepted_at_ms` integer,
	`accepted_by_user_id` text,
	`revoked_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invited_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`accepted_by_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token` ON `invitations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `invitations_recent` ON `invitations` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_email` ON `invitations` (`organization_id`,`email`);--> statement-breakpoint
CREATE INDEX `invitations_role` ON `invitations` (`organization_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `member_breaks` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `member_breaks_of_user` ON `member_breaks` (`organization_id`,`user_id`,`started_at_ms`);--> statement-breakpoint
ALTER TABLE `users` ADD `totp_sealed` text;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_pending_sealed` text;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_last_step` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `email_notifications` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `new_message_alerts` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `campaign_updates` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `language` text;