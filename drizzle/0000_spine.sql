CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`lane` text NOT NULL,
	`state` text NOT NULL,
	`organization_id` text NOT NULL,
	`args` text NOT NULL,
	`serial_key` text,
	`unique_key` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`scheduled_at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`first_attempted_at_ms` integer,
	`attempted_at_ms` integer,
	`finished_at_ms` integer,
	`lease_until_ms` integer,
	`errors` text DEFAULT '[]' NOT NULL,
	CONSTRAINT "jobs_lease" CHECK(("jobs"."state" = 'executing') = ("jobs"."lease_until_ms" is not null)),
	CONSTRAINT "jobs_finished" CHECK(("jobs"."state" in ('completed', 'cancelled', 'discarded')) = ("jobs"."finished_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `jobs_available` ON `jobs` (`lane`,`organization_id`,`id`) WHERE "jobs"."state" = 'available';--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`scheduled_at_ms`) WHERE "jobs"."state" in ('scheduled', 'retryable');--> statement-breakpoint
CREATE INDEX `jobs_leased` ON `jobs` (`lease_until_ms`) WHERE "jobs"."state" = 'executing';--> statement-breakpoint
CREATE INDEX `jobs_serial` ON `jobs` (`serial_key`,`id`) WHERE "jobs"."serial_key" is not null and "jobs"."state" in ('scheduled', 'available', 'executing', 'retryable');--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unique` ON `jobs` (`unique_key`) WHERE "jobs"."unique_key" is not null;--> statement-breakpoint
CREATE INDEX `jobs_list` ON `jobs` (`organization_id`,`id`,`state`);--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`state`,`finished_at_ms`) WHERE "jobs"."finished_at_ms" is not null;--> statement-breakpoint
CREATE TABLE `event_heads` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`oldest_seq` integer DEFAULT 1 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `events` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` text NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`contact_id` text,
	`payload` text NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_seq` ON `events` (`organization_id`,`seq`);--> statement-breakpoint
CREATE INDEX `events_contact` ON `events` (`organization_id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`at_ms`);--> statement-breakpoint
CREATE TABLE `relay_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`log_id` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `throttle_failures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bucket` text NOT NULL,
	`key_hash` text NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `throttle_failures_recent` ON `throttle_failures` (`bucket`,`key_hash`,`at_ms`);--> statement-breakpoint
CREATE INDEX `throttle_failures_age` ON `throttle_failures` (`at_ms`);--> statement-breakpoint
CREATE TABLE `accounts` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`phone_id` text NOT NULL,
	`business_id` text NOT NULL,
	`app_id` text,
	`phone_number` text,
	`display_phone_number` text,
	`verified_name` text,
	`api_version` text NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`quality_rating` text DEFAULT 'UNKNOWN' NOT NULL,
	`messaging_limit_tier` text,
	`throughput_level` text DEFAULT 'STANDARD' NOT NULL,
	`is_default_incoming` integer DEFAULT false NOT NULL,
	`is_default_outgoing` integer DEFAULT false NOT NULL,
	`auto_read_receipt` integer DEFAULT false NOT NULL,
	`access_token_sealed` text,
	`app_secret_sealed` text,
	`verify_token_sealed` text,
	`verify_token_hash` text,
	`pin_sealed` text,
	`last_inbound_at_ms` integer,
	`last_checked_at_ms` integer,
	`last_error` text,
	`last_error_at_ms` integer,
	`paused_until_ms` integer,
	`created_by` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "accounts_secrets_wiped" CHECK("accounts"."deleted_at_ms" is null or "accounts"."access_token_sealed" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_phone` ON `accounts` (`phone_id`) WHERE "accounts"."deleted_at_ms" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_name` ON `accounts` (`organization_id`,`name`) WHERE "accounts"."deleted_at_ms" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_default_incoming` ON `accounts` (`organization_id`) WHERE "accounts"."deleted_at_ms" is null and "accounts"."is_default_incoming" = 1;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_default_outgoing` ON `accounts` (`organization_id`) WHERE "accounts"."deleted_at_ms" is null and "accounts"."is_default_outgoing" = 1;--> statement-breakpoint
CREATE INDEX `accounts_business` ON `accounts` (`business_id`);--> statement-breakpoint
CREATE INDEX `accounts_verify_token` ON `accounts` (`verify_token_hash`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`successor_id` text,
	`issued_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refresh_tokens_hash` ON `refresh_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_chain` ON `refresh_tokens` (`session_id`,`organization_id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_age` ON `refresh_tokens` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`ip_address` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_used_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`end_reason` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_of_user` ON `sessions` (`user_id`,`ended_at_ms`);--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `contact_identities` (
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`contact_id` text NOT NULL,
	`account_id` text,
	`first_seen_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `kind`, `value`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `contact_identities_contact` ON `contact_identities` (`organization_id`,`contact_id`,`kind`,`value`);--> statement-breakpoint
CREATE TABLE `contacts` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text,
	`profile_name` text,
	`username` text,
	`phone_number` text,
	`wa_id` text,
	`user_id` text,
	`parent_user_id` text,
	`country` text,
	`language` text,
	`account_id` text,
	`assigned_to` text,
	`metadata` text DEFAULT '{}' NOT NULL,
	`marketing_consent` text DEFAULT 'unknown' NOT NULL,
	`blocked_at_ms` integer,
	`source` text NOT NULL,
	`first_seen_at_ms` integer NOT NULL,
	`last_message_at_ms` integer,
	`last_message_preview` text,
	`last_inbound_at_ms` integer,
	`unread_count` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_to`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contacts_unread" CHECK("contacts"."unread_count" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `contacts_recent` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_created` ON `contacts` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_assigned` ON `contacts` (`organization_id`,`assigned_to`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `conversations` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`contact_id` text NOT NULL,
	`account_id` text NOT NULL,
	`state` text NOT NULL,
	`priority` text DEFAULT 'normal' NOT NULL,
	`assigned_to` text,
	`unread_count` integer DEFAULT 0 NOT NULL,
	`last_message_id` text,
	`last_message_at_ms` integer,
	`last_inbound_at_ms` integer,
	`snoozed_until_ms` integer,
	`first_response_at_ms` integer,
	`closed_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_to`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "conversations_unread" CHECK("conversations"."unread_count" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_pair` ON `conversations` (`organization_id`,`contact_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `conversations_recent` ON `conversations` (`organization_id`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_assigned` ON `conversations` (`organization_id`,`assigned_to`,`contact_id`);--> statement-breakpoint
CREATE TABLE `inbound_bodies` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at_ms` integer NOT NULL,
	`digest` text NOT NULL,
	`signed_by` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `inbound_bodies_digest` ON `inbound_bodies` (`digest`,`signed_by`);--> statement-breakpoint
CREATE INDEX `inbound_bodies_age` ON `inbound_bodies` (`received_at_ms`);--> statement-breakpoint
CREATE TABLE `inbound_events` (
	`id` text PRIMARY KEY NOT NULL,
	`body_id` text NOT NULL,
	`entry_index` integer NOT NULL,
	`change_index` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`field` text,
	`phone_number_id` text,
	`business_id` text,
	`organization_id` text,
	`account_id` text,
	`state` text NOT NULL,
	`reason` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`statuses` integer DEFAULT 0 NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	`other` integer DEFAULT 0 NOT NULL,
	`outcomes` text DEFAULT '[]' NOT NULL,
	`last_error` text,
	`processed_at_ms` integer,
	FOREIGN KEY (`body_id`) REFERENCES `inbound_bodies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `inbound_events_body` ON `inbound_events` (`body_id`);--> statement-breakpoint
CREATE INDEX `inbound_events_recent` ON `inbound_events` (`organization_id`,`received_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `inbound_events_state` ON `inbound_events` (`state`,`received_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `inbound_events_unrouted` ON `inbound_events` (`phone_number_id`,`state`);--> statement-breakpoint
CREATE TABLE `message_statuses` (
	`organization_id` text NOT NULL,
	`account_id` text NOT NULL,
	`wa_message_id` text NOT NULL,
	`status` text NOT NULL,
	`participant` text DEFAULT '' NOT NULL,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`errors` text DEFAULT '[]' NOT NULL,
	`pricing` text,
	PRIMARY KEY(`organization_id`, `account_id`, `wa_message_id`, `status`, `participant`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `messages` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`conversation_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`account_id` text NOT NULL,
	`wa_message_id` text,
	`direction` text NOT NULL,
	`type` text NOT NULL,
	`content` text NOT NULL,
	`preview` text NOT NULL,
	`status` text NOT NULL,
	`stage` text,
	`held_reason` text,
	`source` text NOT NULL,
	`sent_by` text,
	`sent_by_name` text,
	`client_ref` text,
	`send_options` text DEFAULT '{}' NOT NULL,
	`reply_to_id` text,
	`media` text,
	`context` text,
	`referral` text,
	`raw` text,
	`warnings` text DEFAULT '[]' NOT NULL,
	`error` text,
	`pricing` text,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`accepted_at_ms` integer,
	`sent_at_ms` integer,
	`delivered_at_ms` integer,
	`read_at_ms` integer,
	`played_at_ms` integer,
	`failed_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`conversation_id`) REFERENCES `conversations`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`reply_to_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "messages_stage" CHECK(("messages"."direction" = 'incoming') = ("messages"."stage" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_platform_id` ON `messages` (`organization_id`,`account_id`,`wa_message_id`) WHERE "messages"."wa_message_id" is not null;--> statement-breakpoint
CREATE INDEX `messages_of_contact` ON `messages` (`organization_id`,`contact_id`,`timestamp_ms`,`id`);--> statement-breakpoint
CREATE INDEX `messages_of_conversation` ON `messages` (`organization_id`,`conversation_id`,`timestamp_ms`,`id`);--> statement-breakpoint
CREATE INDEX `messages_unsettled` ON `messages` (`organization_id`,`account_id`,`stage`) WHERE "messages"."stage" in ('queued', 'held', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
CREATE INDEX `messages_pending_of_contact` ON `messages` (`organization_id`,`contact_id`) WHERE "messages"."stage" in ('queued', 'held', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
CREATE TABLE `send_attempts` (
	`organization_id` text NOT NULL,
	`message_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`outcome` text,
	`http_status` integer,
	`platform_code` integer,
	`trace_id` text,
	PRIMARY KEY(`organization_id`, `message_id`, `attempt`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `memberships` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`role_id` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`is_available` integer DEFAULT true NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_user` ON `memberships` (`organization_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `memberships_of_user` ON `memberships` (`user_id`);--> statement-breakpoint
CREATE INDEX `memberships_role` ON `memberships` (`organization_id`,`role_id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`mask_phone_numbers` integer DEFAULT false NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`date_format` text DEFAULT 'YYYY-MM-DD' NOT NULL,
	`registration_policy` text DEFAULT 'open' NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	CONSTRAINT "organizations_policy" CHECK("organizations"."registration_policy" in ('open', 'invitation', 'closed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_slug_unique` ON `organizations` (`slug`);--> statement-breakpoint
CREATE TABLE `role_permissions` (
	`organization_id` text NOT NULL,
	`role_id` text NOT NULL,
	`permission` text NOT NULL,
	PRIMARY KEY(`organization_id`, `role_id`, `permission`),
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `roles` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`is_system` integer NOT NULL,
	`is_default` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_name` ON `roles` (`organization_id`,`name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `roles_default` ON `roles` (`organization_id`) WHERE "roles"."is_default" = 1;--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`full_name` text NOT NULL,
	`is_super_admin` integer DEFAULT false NOT NULL,
	`is_disabled` integer DEFAULT false NOT NULL,
	`must_change_password` integer DEFAULT false NOT NULL,
	`home_organization_id` text,
	`last_login_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	FOREIGN KEY (`home_organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);