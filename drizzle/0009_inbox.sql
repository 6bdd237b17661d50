CREATE TABLE `account_quality` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`before` text,
	`after` text,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `account_quality_recent` ON `account_quality` (`organization_id`,`account_id`,`at_ms`);--> statement-breakpoint
CREATE TABLE `canned_responses` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`content` text NOT NULL,
	`shortcut` text,
	`category` text NOT NULL,
	`is_active` integer NOT NULL,
	`usage_count` integer DEFAULT 0 NOT NULL,
	`buttons` text DEFAULT '[]' NOT NULL,
	`media_id` text,
	`created_by` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `canned_responses_name` ON `canned_responses` (`organization_id`,`name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `canned_responses_shortcut` ON `canned_responses` (`organization_id`,`shortcut`) WHERE "canned_responses"."shortcut" is not null;--> statement-breakpoint
CREATE INDEX `canned_responses_usage` ON `canned_responses` (`organization_id`,`usage_count`,`id`);--> statement-breakpoint
CREATE TABLE `consent_settings` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`opt_out_keywords` text NOT NULL,
	`opt_in_keywords` text NOT NULL,
	`opt_out_reply` text,
	`opt_in_reply` text,
	`updated_at_ms` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `contact_attributes` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`type` text NOT NULL,
	`options` text DEFAULT '[]' NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `contact_attributes_key` ON `contact_attributes` (`organization_id`,`key`);--> statement-breakpoint
CREATE TABLE `contact_consents` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`contact_id` text NOT NULL,
	`purpose` text NOT NULL,
	`state` text NOT NULL,
	`source` text NOT NULL,
	`evidence` text,
	`message_id` text,
	`actor_id` text,
	`actor_name` text,
	`at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `contact_consents_recent` ON `contact_consents` (`organization_id`,`contact_id`,`at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `contact_merges` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`target_id` text NOT NULL,
	`source_id` text NOT NULL,
	`undo` text NOT NULL,
	`actor_id` text,
	`merged_at_ms` integer NOT NULL,
	`undone_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`target_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`source_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `contact_merges_source` ON `contact_merges` (`organization_id`,`source_id`);--> statement-breakpoint
CREATE INDEX `contact_merges_target` ON `contact_merges` (`organization_id`,`target_id`);--> statement-breakpoint
CREATE TABLE `contact_tags` (
	`organization_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`tag_id` text NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`, `tag_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`tag_id`) REFERENCES `tags`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `contact_tags_tag` ON `contact_tags` (`organization_id`,`tag_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `contact_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`scope` text NOT NULL,
	`words` text NOT NULL,
	`digits` text NOT NULL,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `contact_words_contact` ON `contact_words` (`organization_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `exports` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`source` text NOT NULL,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`options` text NOT NULL,
	`stored_as` text,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_by` text,
	`actor` text NOT NULL,
	`finished_at_ms` integer,
	`expires_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `exports_recent` ON `exports` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `exports_expiring` ON `exports` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `import_rows` (
	`organization_id` text NOT NULL,
	`import_id` text NOT NULL,
	`row` integer NOT NULL,
	`outcome` text NOT NULL,
	`target_id` text,
	`identity` text,
	`errors` text DEFAULT '[]' NOT NULL,
	`former` text,
	PRIMARY KEY(`organization_id`, `import_id`, `row`),
	FOREIGN KEY (`organization_id`,`import_id`) REFERENCES `imports`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `import_rows_outcome` ON `import_rows` (`organization_id`,`import_id`,`outcome`,`row`);--> statement-breakpoint
CREATE INDEX `import_rows_identity` ON `import_rows` (`organization_id`,`import_id`,`identity`,`row`);--> statement-breakpoint
CREATE TABLE `imports` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`target` text NOT NULL,
	`status` text NOT NULL,
	`is_dry_run` integer NOT NULL,
	`filename` text NOT NULL,
	`format` text NOT NULL,
	`stored_as` text,
	`options` text NOT NULL,
	`rows_total` integer DEFAULT 0 NOT NULL,
	`rows_done` integer DEFAULT 0 NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created` integer DEFAULT 0 NOT NULL,
	`updated` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_by` text,
	`actor` text NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `imports_recent` ON `imports` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `inbound_hours` (
	`organization_id` text NOT NULL,
	`hour_ms` integer NOT NULL,
	`received` integer DEFAULT 0 NOT NULL,
	`duplicates` integer DEFAULT 0 NOT NULL,
	`unrouted` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`acknowledgements` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`organization_id`, `hour_ms`)
) STRICT;--> statement-breakpoint
CREATE TABLE `media` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`origin` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`mime_type` text,
	`filename` text,
	`size_bytes` integer,
	`sha256` text,
	`width` integer,
	`height` integer,
	`duration_ms` integer,
	`stored_as` text,
	`account_id` text,
	`platform_media_id` text,
	`platform_sha256` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`uploaded_by` text,
	`expires_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "media_stored" CHECK(("media"."state" = 'ready') = ("media"."stored_as" is not null))
) STRICT;--> statement-breakpoint
CREATE INDEX `media_expiring` ON `media` (`expires_at_ms`) WHERE "media"."expires_at_ms" is not null;--> statement-breakpoint
CREATE INDEX `media_age` ON `media` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `media_stored_as` ON `media` (`stored_as`) WHERE "media"."stored_as" is not null;--> statement-breakpoint
CREATE TABLE `media_uploads` (
	`organization_id` text NOT NULL,
	`media_id` text NOT NULL,
	`account_id` text NOT NULL,
	`platform_media_id` text NOT NULL,
	`uploaded_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `media_id`, `account_id`),
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `message_reactions` (
	`organization_id` text NOT NULL,
	`account_id` text NOT NULL,
	`target_wa_message_id` text NOT NULL,
	`reactor` text NOT NULL,
	`participant` text DEFAULT '' NOT NULL,
	`message_id` text,
	`contact_id` text NOT NULL,
	`user_id` text,
	`emoji` text,
	`wa_message_id` text,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`former` text,
	PRIMARY KEY(`organization_id`, `account_id`, `target_wa_message_id`, `reactor`, `participant`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `message_reactions_message` ON `message_reactions` (`organization_id`,`message_id`);--> statement-breakpoint
CREATE TABLE `message_revisions` (
	`organization_id` text NOT NULL,
	`account_id` text NOT NULL,
	`target_wa_message_id` text NOT NULL,
	`wa_message_id` text NOT NULL,
	`kind` text NOT NULL,
	`content` text,
	`raw` text,
	`contact_id` text NOT NULL,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`parked_at_ms` integer,
	PRIMARY KEY(`organization_id`, `account_id`, `target_wa_message_id`, `wa_message_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `message_revisions_parked` ON `message_revisions` (`parked_at_ms`) WHERE "message_revisions"."parked_at_ms" is not null;--> statement-breakpoint
CREATE TABLE `message_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` text NOT NULL,
	`message_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`scope` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `message_words_message` ON `message_words` (`organization_id`,`message_id`);--> statement-breakpoint
CREATE INDEX `message_words_contact` ON `message_words` (`organization_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `notes` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`contact_id` text NOT NULL,
	`content` text NOT NULL,
	`mentions` text DEFAULT '[]' NOT NULL,
	`is_pinned` integer DEFAULT false NOT NULL,
	`created_by` text,
	`created_by_name` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `notes_of_contact` ON `notes` (`organization_id`,`contact_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `segments` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`filter` text NOT NULL,
	`is_shared` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_count` integer,
	`last_counted_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `segments_name` ON `segments` (`organization_id`,`name_key`,`is_shared`,`created_by`);--> statement-breakpoint
CREATE INDEX `segments_shared` ON `segments` (`organization_id`,`is_shared`,`name_key`);--> statement-breakpoint
CREATE TABLE `tags` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`color` text NOT NULL,
	`contact_count` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`organization_id`,`name_key`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_messages` (
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
	`answered_after_ms` integer,
	`resend_of_id` text,
	`media` text,
	`media_id` text,
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
	`edited_at_ms` integer,
	`revoked_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`conversation_id`) REFERENCES `conversations`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`reply_to_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`resend_of_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "messages_stage" CHECK(("__new_messages"."direction" = 'incoming') = ("__new_messages"."stage" is null))
) STRICT;--> statement-breakpoint
INSERT INTO `__new_messages`("organization_id", "id", "conversation_id", "contact_id", "account_id", "wa_message_id", "direction", "type", "content", "preview", "status", "stage", "held_reason", "source", "sent_by", "sent_by_name", "client_ref", "send_options", "reply_to_id", "answered_after_ms", "resend_of_id", "media", "media_id", "context", "referral", "raw", "warnings", "error", "pricing", "timestamp_ms", "received_at_ms", "accepted_at_ms", "sent_at_ms", "delivered_at_ms", "read_at_ms", "played_at_ms", "failed_at_ms", "edited_at_ms", "revoked_at_ms", "created_at_ms", "updated_at_ms") SELECT "organization_id", "id", "conversation_id", "contact_id", "account_id", "wa_message_id", "direction", "type", "content", "preview", "status", "stage", "held_reason", "source", "sent_by", "sent_by_name", "client_ref", "send_options", "reply_to_id", NULL, NULL, "media", NULL, "context", "referral", "raw", "warnings", "error", "pricing", "timestamp_ms", "received_at_ms", "accepted_at_ms", "sent_at_ms", "delivered_at_ms", "read_at_ms", "played_at_ms", "failed_at_ms", NULL, NULL, "created_at_ms", "updated_at_ms" FROM `messages`;--> statement-breakpoint
DROP TABLE `messages`;--> statement-breakpoint
ALTER TABLE `__new_messages` RENAME TO `messages`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `messages_platform_id` ON `messages` (`organization_id`,`account_id`,`wa_message_id`) WHERE "messages"."wa_message_id" is not null;--> statement-breakpoint
CREATE INDEX `messages_of_contact` ON `messages` (`organization_id`,`contact_id`,`timestamp_ms`,`id`);--> statement-breakpoint
CREATE INDEX `messages_of_conversation` ON `messages` (`organization_id`,`conversation_id`,`timestamp_ms`,`id`);--> statement-breakpoint
CREATE INDEX `messages_unsettled` ON `messages` (`organization_id`,`account_id`,`stage`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
CREATE INDEX `messages_of_sender` ON `messages` (`organization_id`,`sent_by`,`created_at_ms`,`answered_after_ms`) WHERE "messages"."sent_by" is not null;--> statement-breakpoint
CREATE INDEX `messages_of_media` ON `messages` (`organization_id`,`media_id`) WHERE "messages"."media_id" is not null;--> statement-breakpoint
CREATE INDEX `messages_unread` ON `messages` (`organization_id`,`conversation_id`,`timestamp_ms`,`id`) WHERE "messages"."direction" = 'incoming' and "messages"."status" = 'delivered';--> statement-breakpoint
CREATE INDEX `messages_pending_of_contact` ON `messages` (`organization_id`,`contact_id`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
ALTER TABLE `accounts` ADD `portfolio_id` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `is_test_number` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `is_subscribed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `subscribed_at_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `token_expires_at_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `token_expiry_warned_for_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `restricted_until_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `sending_paused_at_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `sending_paused_reason` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `last_send_ok_at_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `announcements` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_private_key_sealed` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_public_key` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_key_status` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `flow_key_created_at_ms` integer;--> statement-breakpoint
ALTER TABLE `contact_identities` ADD `expires_at_ms` integer;--> statement-breakpoint
CREATE TABLE `__new_contacts` (
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
	`attributes` text DEFAULT '{}' NOT NULL,
	`sort_name` text DEFAULT '' NOT NULL,
	`marketing_consent` text DEFAULT 'unknown' NOT NULL,
	`undeliverable_since_ms` integer,
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
	`merged_into` text,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_to`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`merged_into`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contacts_unread" CHECK("__new_contacts"."unread_count" >= 0)
) STRICT;--> statement-breakpoint
INSERT INTO `__new_contacts`("organization_id", "id", "name", "profile_name", "username", "phone_number", "wa_id", "user_id", "parent_user_id", "country", "language", "account_id", "assigned_to", "metadata", "attributes", "sort_name", "marketing_consent", "undeliverable_since_ms", "blocked_at_ms", "source", "first_seen_at_ms", "last_message_at_ms", "last_message_preview", "last_inbound_at_ms", "unread_count", "created_at_ms", "updated_at_ms", "deleted_at_ms", "merged_into") SELECT "organization_id", "id", "name", "profile_name", "username", "phone_number", "wa_id", "user_id", "parent_user_id", "country", "language", "account_id", "assigned_to", "metadata", '{}', lower(trim(coalesce(`name`, `profile_name`, `username`, `phone_number`, `wa_id`, `user_id`, ''))), "marketing_consent", NULL, "blocked_at_ms", "source", "first_seen_at_ms", "last_message_at_ms", "last_message_preview", "last_inbound_at_ms", "unread_count", "created_at_ms", "updated_at_ms", "deleted_at_ms", NULL FROM `contacts`;--> statement-breakpoint
DROP TABLE `contacts`;--> statement-breakpoint
ALTER TABLE `__new_contacts` RENAME TO `contacts`;--> statement-breakpoint
CREATE INDEX `contacts_by_name` ON `contacts` (`organization_id`,`sort_name`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_recent` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_created` ON `contacts` (`organization_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_assigned` ON `contacts` (`organization_id`,`assigned_to`,`last_message_at_ms`,`id`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `unanswered_since_ms` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `last_answered_at_ms` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `first_referral` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `last_referral` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `announced_at_ms` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `announce_due_at_ms` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `unannounced` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `conversations` ADD `last_typing_at_ms` integer;--> statement-breakpoint
CREATE INDEX `conversations_recent_of` ON `conversations` (`organization_id`,`assigned_to`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_recent_in` ON `conversations` (`organization_id`,`state`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_recent_on` ON `conversations` (`organization_id`,`account_id`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_unread` ON `conversations` (`organization_id`,`last_message_at_ms`,`id`) WHERE "conversations"."unread_count" > 0;--> statement-breakpoint
CREATE INDEX `conversations_unanswered` ON `conversations` (`organization_id`,`unanswered_since_ms`,`id`) WHERE "conversations"."unanswered_since_ms" is not null;--> statement-breakpoint
CREATE INDEX `conversations_window` ON `conversations` (`organization_id`,`last_inbound_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_snoozed` ON `conversations` (`snoozed_until_ms`) WHERE "conversations"."state" = 'snoozed';--> statement-breakpoint
ALTER TABLE `organizations` ADD `default_country` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `media_days` integer;--> statement-breakpoint
CREATE TRIGGER `contact_tags_added` AFTER INSERT ON `contact_tags` BEGIN
	UPDATE `tags` SET `contact_count` = `contact_count` + 1 WHERE `organization_id` = new.`organization_id` AND `id` = new.`tag_id`
		AND EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = new.`organization_id` AND `id` = new.`contact_id` AND `deleted_at_ms` IS NULL);
END;--> statement-breakpoint
CREATE TRIGGER `contact_tags_taken` AFTER DELETE ON `contact_tags` BEGIN
	UPDATE `tags` SET `contact_count` = `contact_count` - 1 WHERE `organization_id` = old.`organization_id` AND `id` = old.`tag_id`
		AND EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = old.`organization_id` AND `id` = old.`contact_id` AND `deleted_at_ms` IS NULL);
END;--> statement-breakpoint
CREATE TRIGGER `contact_tags_deleted_contact` AFTER UPDATE OF `deleted_at_ms` ON `contacts` WHEN (old.`deleted_at_ms` IS NULL) <> (new.`deleted_at_ms` IS NULL) BEGIN
	UPDATE `tags` SET `contact_count` = `contact_count` + CASE WHEN new.`deleted_at_ms` IS NULL THEN 1 ELSE -1 END
		WHERE `organization_id` = new.`organization_id`
		AND `id` IN (SELECT `tag_id` FROM `contact_tags` WHERE `organization_id` = new.`organization_id` AND `contact_id` = new.`id`);
END;--> statement-breakpoint
CREATE VIRTUAL TABLE `message_search` USING fts5(`scope`, `words`, content='message_words', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3');--> statement-breakpoint
CREATE TRIGGER `message_words_added` AFTER INSERT ON `message_words` BEGIN
	INSERT INTO `message_search` (`rowid`, `scope`, `words`) VALUES (new.`row`, new.`scope`, new.`words`);
END;--> statement-breakpoint
CREATE TRIGGER `message_words_removed` AFTER DELETE ON `message_words` BEGIN
	INSERT INTO `message_search` (`message_search`, `rowid`, `scope`, `words`) VALUES ('delete', old.`row`, old.`scope`, old.`words`);
END;--> statement-breakpoint
CREATE TRIGGER `message_words_changed` AFTER UPDATE ON `message_words` BEGIN
	INSERT INTO `message_search` (`message_search`, `rowid`, `scope`, `words`) VALUES ('delete', old.`row`, old.`scope`, old.`words`);
	INSERT INTO `message_search` (`rowid`, `scope`, `words`) VALUES (new.`row`, new.`scope`, new.`words`);
END;--> statement-breakpoint
CREATE VIRTUAL TABLE `contact_search` USING fts5(`scope`, `words`, `digits`, content='contact_words', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3 4');--> statement-breakpoint
CREATE TRIGGER `contact_words_added` AFTER INSERT ON `contact_words` BEGIN
	INSERT INTO `contact_search` (`rowid`, `scope`, `words`, `digits`) VALUES (new.`row`, new.`scope`, new.`words`, new.`digits`);
END;--> statement-breakpoint
CREATE TRIGGER `contact_words_removed` AFTER DELETE ON `contact_words` BEGIN
	INSERT INTO `contact_search` (`contact_search`, `rowid`, `scope`, `words`, `digits`) VALUES ('delete', old.`row`, old.`scope`, old.`words`, old.`digits`);
END;--> statement-breakpoint
CREATE TRIGGER `contact_words_changed` AFTER UPDATE ON `contact_words` BEGIN
	INSERT INTO `contact_search` (`contact_search`, `rowid`, `scope`, `words`, `digits`) VALUES ('delete', old.`row`, old.`scope`, old.`words`, old.`digits`);
	INSERT INTO `contact_search` (`rowid`, `scope`, `words`, `digits`) VALUES (new.`row`, new.`scope`, new.`words`, new.`digits`);
END;--> statement-breakpoint
INSERT INTO `message_words` (`organization_id`, `message_id`, `contact_id`, `scope`, `words`)
	SELECT `organization_id`, `id`, `contact_id`, 'o' || replace(`organization_id`, '-', '') || ' c' || replace(`contact_id`, '-', ''), coalesce(json_extract(`content`, '$.text'), json_extract(`content`, '$.caption'), `preview`)
	FROM `messages` WHERE `type` <> 'system' ORDER BY `id`;
