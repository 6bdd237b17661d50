CREATE TABLE `idempotency_keys` (
	`organization_id` blob NOT NULL,
	`caller` text NOT NULL,
	`key_hash` text NOT NULL,
	`route` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer,
	`answer_sealed` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `caller`, `key_hash`, `route`),
	CONSTRAINT "idempotency_answered" CHECK(("idempotency_keys"."status" is null) = ("idempotency_keys"."answer_sealed" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at_ms`);
--> statement-breakpoint
CREATE TABLE `job_schedules` (
	`name` text PRIMARY KEY NOT NULL,
	`slot_ms` integer NOT NULL,
	`job_id` blob,
	`last_run_at_ms` integer,
	`last_outcome` text,
	CONSTRAINT "job_schedules_outcome" CHECK("job_schedules"."last_outcome" is null or "job_schedules"."last_outcome" in ('completed', 'scheduled', 'retryable', 'cancelled', 'discarded')),
	CONSTRAINT "job_schedules_run" CHECK(("job_schedules"."last_outcome" is null) = ("job_schedules"."last_run_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` blob PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`queue` text NOT NULL,
	`state` text NOT NULL,
	`organization_id` blob NOT NULL,
	`args` text NOT NULL,
	`ordering_key` text,
	`gate_key` text DEFAULT '' NOT NULL,
	`priority` integer DEFAULT 2 NOT NULL,
	`is_blocked` integer DEFAULT false NOT NULL,
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
	CONSTRAINT "jobs_state" CHECK("jobs"."state" in ('scheduled', 'available', 'executing', 'retryable', 'completed', 'cancelled', 'discarded')),
	CONSTRAINT "jobs_priority" CHECK("jobs"."priority" between 1 and 3),
	CONSTRAINT "jobs_attempt" CHECK("jobs"."attempt" >= 0),
	CONSTRAINT "jobs_attempted" CHECK("jobs"."state" not in ('executing', 'retryable', 'completed') or ("jobs"."attempt" > 0 and "jobs"."attempted_at_ms" is not null)),
	CONSTRAINT "jobs_lease" CHECK(("jobs"."state" = 'executing') = ("jobs"."lease_until_ms" is not null)),
	CONSTRAINT "jobs_finished" CHECK(("jobs"."state" in ('completed', 'cancelled', 'discarded')) = ("jobs"."finished_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `jobs_available` ON `jobs` (`queue`,`organization_id`,`gate_key`,`priority`,`id`) WHERE "jobs"."state" = 'available' and "jobs"."is_blocked" = 0;
--> statement-breakpoint
CREATE INDEX `jobs_blocked` ON `jobs` (`ordering_key`,`gate_key`,`id`) WHERE "jobs"."is_blocked" = 1;
--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`scheduled_at_ms`) WHERE "jobs"."state" in ('scheduled', 'retryable');
--> statement-breakpoint
CREATE INDEX `jobs_due_of_organization` ON `jobs` (`organization_id`,`scheduled_at_ms`) WHERE "jobs"."state" in ('scheduled', 'retryable');
--> statement-breakpoint
CREATE INDEX `jobs_waiting_at_gate` ON `jobs` (`organization_id`,`gate_key`,`id`) WHERE "jobs"."state" in ('scheduled', 'retryable') and "jobs"."gate_key" <> '';
--> statement-breakpoint
CREATE INDEX `jobs_leased` ON `jobs` (`lease_until_ms`) WHERE "jobs"."state" = 'executing';
--> statement-breakpoint
CREATE INDEX `jobs_ordering` ON `jobs` (`ordering_key`,`id`) WHERE "jobs"."ordering_key" is not null and "jobs"."state" in ('scheduled', 'available', 'executing', 'retryable');
--> statement-breakpoint
CREATE INDEX `jobs_ordering_executing` ON `jobs` (`ordering_key`,`gate_key`) WHERE "jobs"."ordering_key" is not null and "jobs"."state" = 'executing';
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unique` ON `jobs` (`unique_key`) WHERE "jobs"."unique_key" is not null;
--> statement-breakpoint
CREATE INDEX `jobs_list` ON `jobs` (`organization_id`,`id`,`state`);
--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`state`,`finished_at_ms`) WHERE "jobs"."finished_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `digest_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `root_keys` (
	`key_id` text PRIMARY KEY NOT NULL,
	`first_used_at_ms` integer NOT NULL,
	`retired_at_ms` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `event_heads` (
	`organization_id` blob PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`oldest_seq` integer DEFAULT 1 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `events` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` blob NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`contact_id` blob,
	`payload` text NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_seq` ON `events` (`organization_id`,`seq`);
--> statement-breakpoint
CREATE INDEX `events_contact` ON `events` (`organization_id`,`contact_id`);
--> statement-breakpoint
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
CREATE INDEX `throttle_failures_recent` ON `throttle_failures` (`bucket`,`key_hash`,`at_ms`);
--> statement-breakpoint
CREATE INDEX `throttle_failures_age` ON `throttle_failures` (`at_ms`);
--> statement-breakpoint
CREATE TABLE `throttle_known_addresses` (
	`mark` text PRIMARY KEY NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `throttle_known_addresses_age` ON `throttle_known_addresses` (`at_ms`);
--> statement-breakpoint
CREATE TABLE `ai_breakers` (
	`organization_id` blob NOT NULL,
	`target` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until_ms` integer,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `target`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `ai_chunks` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`organization_id` blob NOT NULL,
	`context_id` blob NOT NULL,
	`position` integer NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`organization_id`,`context_id`) REFERENCES `ai_contexts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `ai_chunks_of_context` ON `ai_chunks` (`organization_id`,`context_id`,`position`);
--> statement-breakpoint
CREATE TABLE `ai_contexts` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`account_id` blob,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`type` text NOT NULL,
	`content` text,
	`api_config` text,
	`headers_sealed` text,
	`trigger_keywords` text DEFAULT '[]' NOT NULL,
	`priority` integer NOT NULL,
	`is_enabled` integer NOT NULL,
	`document_filename` text,
	`document_size_bytes` integer,
	`document_state` text,
	`document_error` text,
	`document_pages` integer,
	`stored_as` text,
	`characters` integer DEFAULT 0 NOT NULL,
	`text_bytes` integer DEFAULT 0 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ai_contexts_file" CHECK("ai_contexts"."stored_as" is null or "ai_contexts"."document_state" = 'reading')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `ai_contexts_name` ON `ai_contexts` (`organization_id`,`name_key`);
--> statement-breakpoint
CREATE INDEX `ai_contexts_order` ON `ai_contexts` (`organization_id`,`priority`,`id`);
--> statement-breakpoint
CREATE TABLE `ai_days` (
	`organization_id` blob NOT NULL,
	`day` integer NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`handovers` integer DEFAULT 0 NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	`unpriced` integer DEFAULT 0 NOT NULL,
	`reserved_tokens` integer DEFAULT 0 NOT NULL,
	`reserved_micros` integer DEFAULT 0 NOT NULL,
	`notified_at_ms` integer,
	PRIMARY KEY(`organization_id`, `day`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `ai_questions` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`message_id` blob,
	`key` text NOT NULL,
	`text` text NOT NULL,
	`asked_at_ms` integer NOT NULL,
	`done_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `ai_questions_by_key` ON `ai_questions` (`organization_id`,`key`);
--> statement-breakpoint
CREATE INDEX `ai_questions_by_time` ON `ai_questions` (`organization_id`,`asked_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `ai_questions_of_contact` ON `ai_questions` (`organization_id`,`contact_id`);
--> statement-breakpoint
CREATE TABLE `ai_usage` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob,
	`account_id` blob,
	`purpose` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`day` integer NOT NULL,
	`reserved_tokens` integer NOT NULL,
	`reserved_micros` integer NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cost_micros` integer,
	`duration_ms` integer,
	`outcome` text,
	`error_kind` text,
	`http_status` integer,
	`created_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`settled_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ai_usage_settled" CHECK(("ai_usage"."outcome" is null) = ("ai_usage"."settled_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `ai_usage_of_contact` ON `ai_usage` (`organization_id`,`contact_id`,`created_at_ms`) WHERE "ai_usage"."contact_id" is not null;
--> statement-breakpoint
CREATE INDEX `ai_usage_recent` ON `ai_usage` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `ai_usage_open` ON `ai_usage` (`created_at_ms`) WHERE "ai_usage"."settled_at_ms" is null;
--> statement-breakpoint
CREATE TABLE `chatbot_counts` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `chatbot_settings` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`fields` text NOT NULL,
	`ai_api_key_sealed` text,
	`revision` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "chatbot_settings_fields" CHECK(json_type("chatbot_settings"."fields") = 'object')
) STRICT;
--> statement-breakpoint
CREATE TABLE `bot_flow_references` (
	`organization_id` blob NOT NULL,
	`flow_id` blob NOT NULL,
	`version` integer NOT NULL,
	`kind` text NOT NULL,
	`target_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `flow_id`, `version`, `kind`, `target_id`),
	FOREIGN KEY (`organization_id`,`flow_id`,`version`) REFERENCES `bot_flow_versions`(`organization_id`,`flow_id`,`version`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bot_flow_references_target` ON `bot_flow_references` (`organization_id`,`kind`,`target_id`);
--> statement-breakpoint
CREATE TABLE `bot_flow_versions` (
	`organization_id` blob NOT NULL,
	`flow_id` blob NOT NULL,
	`version` integer NOT NULL,
	`published_at_ms` integer,
	`published_by` blob,
	`headers_sealed` text,
	`graph` text NOT NULL,
	PRIMARY KEY(`organization_id`, `flow_id`, `version`),
	FOREIGN KEY (`organization_id`,`flow_id`) REFERENCES `bot_flows`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bot_flow_versions_published" CHECK(("bot_flow_versions"."version" = 0) = ("bot_flow_versions"."published_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE TABLE `bot_flows` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`words` text NOT NULL,
	`account_id` blob,
	`is_enabled` integer NOT NULL,
	`trigger_keywords` text NOT NULL,
	`trigger_match_type` text NOT NULL,
	`priority` integer NOT NULL,
	`settings` text NOT NULL,
	`completion_headers_sealed` text,
	`version` integer,
	`has_draft` integer NOT NULL,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bot_flows_graph" CHECK("bot_flows"."version" is not null or "bot_flows"."has_draft" = 1),
	CONSTRAINT "bot_flows_enabled" CHECK("bot_flows"."is_enabled" = 0 or ("bot_flows"."version" is not null and "bot_flows"."deleted_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bot_flows_name` ON `bot_flows` (`organization_id`,`name_key`) WHERE "bot_flows"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `bot_flows_list` ON `bot_flows` (`organization_id`,`updated_at_ms`,`id`) WHERE "bot_flows"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `bot_flows_enabled_list` ON `bot_flows` (`organization_id`,`id`) WHERE "bot_flows"."is_enabled" = 1;
--> statement-breakpoint
CREATE INDEX `bot_flows_deleted` ON `bot_flows` (`deleted_at_ms`) WHERE "bot_flows"."deleted_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `bot_inbox` (
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`received_at_ms` integer NOT NULL,
	`is_urgent` integer NOT NULL,
	`is_consent_word` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`, `message_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bot_inbox_age` ON `bot_inbox` (`received_at_ms`);
--> statement-breakpoint
CREATE TABLE `bot_marks` (
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`kind` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`, `kind`, `at_ms`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bot_marks_age` ON `bot_marks` (`at_ms`);
--> statement-breakpoint
CREATE TABLE `bot_sessions` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`status` text NOT NULL,
	`waiting_for` text,
	`flow_id` blob,
	`flow_version` integer,
	`node` text,
	`variables` text DEFAULT '{}' NOT NULL,
	`state` text DEFAULT '{}' NOT NULL,
	`steps` integer DEFAULT 0 NOT NULL,
	`first_message_id` blob,
	`started_at_ms` integer NOT NULL,
	`last_activity_ms` integer NOT NULL,
	`expires_at_ms` integer,
	`ended_at_ms` integer,
	`end_reason` text,
	`messages` integer DEFAULT 0 NOT NULL,
	`bot_messages` integer DEFAULT 0 NOT NULL,
	`bot_turns` integer DEFAULT 0 NOT NULL,
	`has_answered` integer DEFAULT false NOT NULL,
	`followed_up_at_ms` integer,
	`outcome` text GENERATED ALWAYS AS ((case "status" when 'active' then 'open' when 'completed' then 'auto_resolved' when 'transferred' then 'transferred' when 'timed_out' then iif("flow_id" is null and "has_answered" and "followed_up_at_ms" is null, 'auto_resolved', 'abandoned') else 'abandoned' end)) VIRTUAL NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bot_sessions_active` ON `bot_sessions` (`organization_id`,`contact_id`,`account_id`) WHERE "bot_sessions"."status" = 'active';
--> statement-breakpoint
CREATE INDEX `bot_sessions_of_contact` ON `bot_sessions` (`organization_id`,`contact_id`,`started_at_ms`);
--> statement-breakpoint
CREATE INDEX `bot_sessions_recent` ON `bot_sessions` (`organization_id`,`started_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `bot_sessions_recent_in` ON `bot_sessions` (`organization_id`,`status`,`started_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `bot_sessions_of_flow` ON `bot_sessions` (`organization_id`,`flow_id`,`started_at_ms`,`id`) WHERE "bot_sessions"."flow_id" is not null;
--> statement-breakpoint
CREATE INDEX `bot_sessions_active_of_flow` ON `bot_sessions` (`organization_id`,`flow_id`,`flow_version`) WHERE "bot_sessions"."status" = 'active';
--> statement-breakpoint
CREATE INDEX `bot_sessions_expiring` ON `bot_sessions` (`expires_at_ms`) WHERE "bot_sessions"."status" = 'active' and "bot_sessions"."expires_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `bot_sessions_timed_out` ON `bot_sessions` (`organization_id`,`contact_id`,`ended_at_ms`) WHERE "bot_sessions"."status" = 'timed_out';
--> statement-breakpoint
CREATE INDEX `bot_sessions_ended` ON `bot_sessions` (`organization_id`,`ended_at_ms`) WHERE "bot_sessions"."ended_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `bot_trace` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`session_id` blob,
	`seq` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`message_id` blob,
	`stage` text NOT NULL,
	`flow_id` blob,
	`node` text,
	`node_type` text,
	`input` text,
	`outcome` text NOT NULL,
	`next_node` text,
	`sent_message_ids` text DEFAULT '[]' NOT NULL,
	`duration_ms` integer,
	`error` text,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`session_id`) REFERENCES `bot_sessions`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bot_trace_of_session` ON `bot_trace` (`organization_id`,`session_id`,`seq`) WHERE "bot_trace"."session_id" is not null;
--> statement-breakpoint
CREATE INDEX `bot_trace_of_contact` ON `bot_trace` (`organization_id`,`contact_id`,`at_ms`);
--> statement-breakpoint
CREATE INDEX `bot_trace_of_flow` ON `bot_trace` (`organization_id`,`flow_id`,`at_ms`) WHERE "bot_trace"."flow_id" is not null and "bot_trace"."node" is not null;
--> statement-breakpoint
CREATE INDEX `bot_trace_age` ON `bot_trace` (`at_ms`);
--> statement-breakpoint
CREATE TABLE `keyword_revisions` (
	`organization_id` blob PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `keyword_rules` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`words` text NOT NULL,
	`keywords` text NOT NULL,
	`match_type` text NOT NULL,
	`is_case_sensitive` integer NOT NULL,
	`is_whole_word` integer NOT NULL,
	`response_type` text NOT NULL,
	`response` text,
	`response_content` text NOT NULL,
	`media_id` blob,
	`priority` integer NOT NULL,
	`is_enabled` integer NOT NULL,
	`account_id` blob,
	`active_from_ms` integer,
	`active_until_ms` integer,
	`active_hours` text NOT NULL,
	`interrupts_flow` integer NOT NULL,
	`hit_count` integer DEFAULT 0 NOT NULL,
	`last_hit_at_ms` integer,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "keyword_rules_keywords" CHECK(json_array_length("keyword_rules"."keywords") > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keyword_rules_name` ON `keyword_rules` (`organization_id`,`name_key`);
--> statement-breakpoint
CREATE INDEX `keyword_rules_list` ON `keyword_rules` (`organization_id`,`priority`,`id`);
--> statement-breakpoint
CREATE INDEX `keyword_rules_media` ON `keyword_rules` (`organization_id`,`media_id`) WHERE "keyword_rules"."media_id" is not null;
--> statement-breakpoint
CREATE TABLE `custom_action_redirects` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`token_hash` text NOT NULL,
	`action_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`is_masked` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`action_id`) REFERENCES `custom_actions`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `custom_action_redirects_token` ON `custom_action_redirects` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `custom_action_redirects_action` ON `custom_action_redirects` (`organization_id`,`action_id`);
--> statement-breakpoint
CREATE INDEX `custom_action_redirects_age` ON `custom_action_redirects` (`organization_id`,`expires_at_ms`);
--> statement-breakpoint
CREATE TABLE `custom_actions` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`icon` text,
	`action_type` text NOT NULL,
	`config` text NOT NULL,
	`headers_sealed` text,
	`is_active` integer NOT NULL,
	`display_order` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "custom_actions_headers" CHECK("custom_actions"."action_type" = 'webhook' or "custom_actions"."headers_sealed" is null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `custom_actions_listed` ON `custom_actions` (`organization_id`,`display_order`,`name_key`,`id`);
--> statement-breakpoint
CREATE TABLE `transfer_changes` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`transfer_id` blob NOT NULL,
	`kind` text NOT NULL,
	`user_id` blob,
	`agent_id` blob,
	`team_id` blob,
	`details` text DEFAULT '{}' NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`transfer_id`) REFERENCES `transfers`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`team_id`) REFERENCES `teams`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `transfer_changes_of` ON `transfer_changes` (`organization_id`,`transfer_id`,`at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `transfers` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`status` text NOT NULL,
	`source` text NOT NULL,
	`priority` integer NOT NULL,
	`agent_id` blob,
	`team_id` blob,
	`transferred_by` blob,
	`notes` text,
	`transferred_at_ms` integer NOT NULL,
	`picked_up_at_ms` integer,
	`first_response_at_ms` integer,
	`ended_at_ms` integer,
	`ended_by` blob,
	`end_reason` text,
	`response_due_at_ms` integer,
	`resolution_due_at_ms` integer,
	`breached_at_ms` integer,
	`escalation_level` integer DEFAULT 0 NOT NULL,
	`escalated_at_ms` integer,
	`escalation_due_at_ms` integer,
	`expires_at_ms` integer,
	`is_client_expiry` integer DEFAULT false NOT NULL,
	`reminder_due_at_ms` integer,
	`reminded_at_ms` integer,
	`agent_due_at_ms` integer,
	`passed_over` text DEFAULT '[]' NOT NULL,
	`counts_open_time` integer NOT NULL,
	`paused_at_ms` integer,
	`due_at_ms` integer,
	`sort_key` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`agent_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transferred_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`ended_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`team_id`) REFERENCES `teams`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_priority" CHECK("transfers"."priority" between 0 and 9),
	CONSTRAINT "transfers_ended" CHECK(("transfers"."status" = 'active') = ("transfers"."ended_at_ms" is null)),
	CONSTRAINT "transfers_due" CHECK("transfers"."status" = 'active' or "transfers"."due_at_ms" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `transfers_active` ON `transfers` (`organization_id`,`contact_id`) WHERE "transfers"."status" = 'active';
--> statement-breakpoint
CREATE INDEX `transfers_waiting` ON `transfers` (`organization_id`,"priority" desc,`transferred_at_ms`,`id`,`team_id`) WHERE "transfers"."status" = 'active' and "transfers"."agent_id" is null;
--> statement-breakpoint
CREATE INDEX `transfers_queue` ON `transfers` (`organization_id`,`team_id`,`contact_id`) WHERE "transfers"."status" = 'active' and "transfers"."agent_id" is null;
--> statement-breakpoint
CREATE INDEX `transfers_held` ON `transfers` (`organization_id`,`agent_id`,`team_id`,`contact_id`) WHERE "transfers"."status" = 'active' and "transfers"."agent_id" is not null;
--> statement-breakpoint
CREATE INDEX `transfers_of_number` ON `transfers` (`organization_id`,`account_id`,`agent_id`,`contact_id`) WHERE "transfers"."status" = 'active';
--> statement-breakpoint
CREATE INDEX `transfers_listed` ON `transfers` (`organization_id`,`sort_key`,`id`);
--> statement-breakpoint
CREATE INDEX `transfers_listed_in` ON `transfers` (`organization_id`,`status`,`sort_key`,`id`);
--> statement-breakpoint
CREATE INDEX `transfers_listed_of` ON `transfers` (`organization_id`,`agent_id`,`sort_key`,`id`);
--> statement-breakpoint
CREATE INDEX `transfers_listed_team` ON `transfers` (`organization_id`,`team_id`,`sort_key`,`id`);
--> statement-breakpoint
CREATE INDEX `transfers_contact` ON `transfers` (`organization_id`,`contact_id`,`sort_key`);
--> statement-breakpoint
CREATE INDEX `transfers_ended` ON `transfers` (`organization_id`,`ended_at_ms`) WHERE "transfers"."ended_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `transfers_due` ON `transfers` (`due_at_ms`) WHERE "transfers"."due_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `account_quality` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`kind` text NOT NULL,
	`before` text,
	`after` text,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `account_quality_recent` ON `account_quality` (`organization_id`,`account_id`,`at_ms`);
--> statement-breakpoint
CREATE TABLE `account_unknown_fields` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`field` text NOT NULL,
	`hours` text NOT NULL,
	`last_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`, `field`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `accounts` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL,
	`phone_id` text NOT NULL,
	`business_id` text NOT NULL,
	`business_link` text DEFAULT 'unchecked' NOT NULL,
	`app_id` text,
	`messaging_account_id` text,
	`portfolio_id` text,
	`billing_timezone` text,
	`phone_number` text,
	`display_phone_number` text,
	`verified_name` text,
	`api_version` text NOT NULL,
	`api_version_warned_for` text,
	`status` text NOT NULL,
	`status_reason` text,
	`quality_rating` text DEFAULT 'UNKNOWN' NOT NULL,
	`messaging_limit_tier` text,
	`throughput_level` text DEFAULT 'STANDARD' NOT NULL,
	`is_registered` integer,
	`code_verification` text,
	`business_verification` text,
	`is_on_phone_app` integer DEFAULT false NOT NULL,
	`phone_app_until_ms` integer,
	`phone_app_contacts` text,
	`phone_app_history` text,
	`phone_app_progress` integer,
	`is_test_number` integer DEFAULT false NOT NULL,
	`is_subscribed` integer DEFAULT false NOT NULL,
	`subscribed_at_ms` integer,
	`token_expires_at_ms` integer,
	`token_expiry_warned_for_ms` integer,
	`is_default_incoming` integer DEFAULT false NOT NULL,
	`is_default_outgoing` integer DEFAULT false NOT NULL,
	`auto_read_receipt` integer DEFAULT false NOT NULL,
	`access_token_sealed` text,
	`app_secret_sealed` text,
	`verify_token_sealed` text,
	`verify_token_hash` text,
	`pin_sealed` text,
	`marketing_status` text DEFAULT 'unknown' NOT NULL,
	`marketing_policy` text DEFAULT 'fallback' NOT NULL,
	`direct_refused_at_ms` integer,
	`funding_state` text DEFAULT 'unknown' NOT NULL,
	`funding_source` text,
	`funding_at_ms` integer,
	`funding_id` text,
	`is_funding_hidden` integer DEFAULT false NOT NULL,
	`service_refused_month` integer,
	`allowance_warned` text,
	`last_inbound_at_ms` integer,
	`last_checked_at_ms` integer,
	`last_error` text,
	`last_error_at_ms` integer,
	`paused_until_ms` integer,
	`restricted_at_ms` integer,
	`restricted_until_ms` integer,
	`sending_paused_at_ms` integer,
	`sending_paused_reason` text,
	`last_send_ok_at_ms` integer,
	`platform_updates` text DEFAULT '{}' NOT NULL,
	`flow_private_key_sealed` text,
	`flow_former_key_sealed` text,
	`flow_next_key_sealed` text,
	`flow_public_key` text,
	`flow_key_status` text,
	`flow_key_created_at_ms` integer,
	`registrations` text DEFAULT '[]' NOT NULL,
	`shared_at_ms` integer,
	`last_standby_at_ms` integer,
	`routing` text,
	`routing_unknown_at_ms` integer,
	`template_sync` text,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	`moved_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "accounts_secrets_wiped" CHECK("accounts"."deleted_at_ms" is null or "accounts"."access_token_sealed" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_id` ON `accounts` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_phone` ON `accounts` (`phone_id`) WHERE "accounts"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_name` ON `accounts` (`organization_id`,`name`) WHERE "accounts"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_default_incoming` ON `accounts` (`organization_id`) WHERE "accounts"."deleted_at_ms" is null and "accounts"."is_default_incoming" = 1;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_default_outgoing` ON `accounts` (`organization_id`) WHERE "accounts"."deleted_at_ms" is null and "accounts"."is_default_outgoing" = 1;
--> statement-breakpoint
CREATE INDEX `accounts_business` ON `accounts` (`business_id`);
--> statement-breakpoint
CREATE INDEX `accounts_verify_token` ON `accounts` (`verify_token_hash`);
--> statement-breakpoint
CREATE TABLE `calls` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`wa_call_id` text NOT NULL,
	`direction` text NOT NULL,
	`state` text NOT NULL,
	`timestamp_ms` integer NOT NULL,
	`connect_at_ms` integer,
	`accepted_at_ms` integer,
	`rejected_at_ms` integer,
	`ended_at_ms` integer,
	`end_status` text,
	`started_at_ms` integer,
	`duration_seconds` integer,
	`error` text,
	`recording_media_id` blob,
	`transcript_media_id` blob,
	`read_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`recording_media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`transcript_media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "calls_duration" CHECK("calls"."duration_seconds" is null or "calls"."duration_seconds" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `calls_platform_id` ON `calls` (`organization_id`,`account_id`,`wa_call_id`);
--> statement-breakpoint
CREATE INDEX `calls_of_contact` ON `calls` (`organization_id`,`contact_id`,`timestamp_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_recent` ON `calls` (`organization_id`,`timestamp_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_recent_in` ON `calls` (`organization_id`,`state`,`timestamp_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_recent_on` ON `calls` (`organization_id`,`account_id`,`timestamp_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `calls_unread` ON `calls` (`organization_id`,`contact_id`,`account_id`) WHERE "calls"."direction" = 'incoming' and "calls"."state" = 'missed' and "calls"."read_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `calls_with_recording` ON `calls` (`organization_id`,`recording_media_id`) WHERE "calls"."recording_media_id" is not null;
--> statement-breakpoint
CREATE INDEX `calls_with_transcript` ON `calls` (`organization_id`,`transcript_media_id`) WHERE "calls"."transcript_media_id" is not null;
--> statement-breakpoint
CREATE INDEX `calls_of_age` ON `calls` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `flow_responses` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`flow_id` blob,
	`token` text,
	`message_id` blob NOT NULL,
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
CREATE UNIQUE INDEX `flow_responses_token` ON `flow_responses` (`organization_id`,`token`) WHERE "flow_responses"."token" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `flow_responses_message` ON `flow_responses` (`organization_id`,`message_id`);
--> statement-breakpoint
CREATE INDEX `flow_responses_recent` ON `flow_responses` (`organization_id`,`flow_id`,`completed_at_ms`,`id`) WHERE "flow_responses"."flow_id" is not null;
--> statement-breakpoint
CREATE TABLE `flow_tokens` (
	`organization_id` blob NOT NULL,
	`token` text NOT NULL,
	`flow_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `token`),
	FOREIGN KEY (`organization_id`,`flow_id`) REFERENCES `flows`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `flow_tokens_message` ON `flow_tokens` (`organization_id`,`message_id`);
--> statement-breakpoint
CREATE TABLE `flow_exchanges` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`flow_id` blob NOT NULL,
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
CREATE INDEX `flow_exchanges_recent` ON `flow_exchanges` (`organization_id`,`flow_id`,`id`);
--> statement-breakpoint
CREATE TABLE `flows` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`account_id` blob NOT NULL,
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
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "flows_created" CHECK("flows"."status" in ('DRAFT', 'DEPRECATED') or "flows"."meta_flow_id" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `flows_platform_id` ON `flows` (`organization_id`,`meta_flow_id`) WHERE "flows"."meta_flow_id" is not null;
--> statement-breakpoint
CREATE INDEX `flows_name` ON `flows` (`organization_id`,`account_id`,`name_key`);
--> statement-breakpoint
CREATE INDEX `flows_list` ON `flows` (`organization_id`,`created_at_ms`,`id`) WHERE "flows"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE TABLE `inbound_bodies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`received_at_ms` integer NOT NULL,
	`digest` blob NOT NULL,
	`signed_by` text NOT NULL,
	`cell` text DEFAULT '' NOT NULL,
	`part` integer DEFAULT 0 NOT NULL,
	`size_bytes` integer NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `inbound_bodies_part` ON `inbound_bodies` (`digest`,`signed_by`,`cell`,`part`);
--> statement-breakpoint
CREATE TABLE `inbound_events` (
	`id` blob PRIMARY KEY NOT NULL,
	`body_id` integer NOT NULL,
	`entry_index` integer NOT NULL,
	`change_index` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`field` text,
	`phone_number_id` text,
	`business_id` text,
	`organization_id` blob,
	`account_id` blob,
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
CREATE INDEX `inbound_events_body` ON `inbound_events` (`body_id`);
--> statement-breakpoint
CREATE INDEX `inbound_events_recent` ON `inbound_events` (`organization_id`,`received_at_ms`);
--> statement-breakpoint
CREATE INDEX `inbound_events_state` ON `inbound_events` (`state`,`received_at_ms`,`id`) WHERE "inbound_events"."state" <> 'done';
--> statement-breakpoint
CREATE INDEX `inbound_events_unrouted` ON `inbound_events` (`phone_number_id`,`state`) WHERE "inbound_events"."state" <> 'done';
--> statement-breakpoint
CREATE INDEX `inbound_events_parked` ON `inbound_events` (`received_at_ms`) WHERE instr("inbound_events"."outcomes", '"parked"') > 0;
--> statement-breakpoint
CREATE TABLE `inbound_hourly_stats` (
	`organization_id` blob NOT NULL,
	`hour_ms` integer NOT NULL,
	`received` integer DEFAULT 0 NOT NULL,
	`duplicates` integer DEFAULT 0 NOT NULL,
	`unrouted` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`acknowledgements` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`organization_id`, `hour_ms`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `inbound_staging` (
	`id` integer PRIMARY KEY NOT NULL,
	`received_at_ms` integer NOT NULL,
	`signed_by` text NOT NULL,
	`trusted` text,
	`cell` text DEFAULT '' NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_branding` (
	`organization_id` blob PRIMARY KEY NOT NULL,
	`accent` text,
	`logo_name` text,
	`stored_as` text,
	`mime_type` text,
	`size_bytes` integer,
	`sha256` text,
	`updated_at_ms` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_branding_logo_name_unique` ON `organization_branding` (`logo_name`);
--> statement-breakpoint
CREATE TABLE `media` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
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
	`channels` integer,
	`is_animated` integer DEFAULT false NOT NULL,
	`stored_as` text,
	`account_id` blob,
	`platform_media_id` text,
	`platform_sha256` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`uploaded_by` blob,
	`expires_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "media_stored" CHECK(("media"."state" = 'ready') = ("media"."stored_as" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `media_expiring` ON `media` (`expires_at_ms`) WHERE "media"."expires_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `media_age` ON `media` (`organization_id`,`created_at_ms`,`id`) WHERE "media"."state" = 'ready';
--> statement-breakpoint
CREATE INDEX `media_waiting` ON `media` (`created_at_ms`) WHERE "media"."state" = 'pending';
--> statement-breakpoint
CREATE INDEX `media_qr_codes` ON `media` (`organization_id`,`account_id`) WHERE "media"."origin" = 'qr_code';
--> statement-breakpoint
CREATE INDEX `media_stored_as` ON `media` (`stored_as`) WHERE "media"."stored_as" is not null;
--> statement-breakpoint
CREATE TABLE `media_breakers` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`failures` integer NOT NULL,
	`open_until_ms` integer,
	PRIMARY KEY(`organization_id`, `account_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `media_uploads` (
	`organization_id` blob NOT NULL,
	`media_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`platform_media_id` text NOT NULL,
	`uploaded_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `media_id`, `account_id`),
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `prices` (
	`id` blob PRIMARY KEY NOT NULL,
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
CREATE UNIQUE INDEX `prices_row` ON `prices` (`kind`,`country`,`category`,`currency`,`applies`,`effective_from_ms`);
--> statement-breakpoint
CREATE INDEX `prices_currency` ON `prices` (`currency`);
--> statement-breakpoint
CREATE TABLE `template_card_files` (
	`organization_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`card` integer NOT NULL,
	`media_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `template_id`, `card`),
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `template_card_files_media` ON `template_card_files` (`organization_id`,`media_id`);
--> statement-breakpoint
CREATE TABLE `template_days` (
	`organization_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`day` integer NOT NULL,
	`sent` integer NOT NULL,
	`last_sent_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `template_id`, `day`),
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `templates` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`business_id` text NOT NULL,
	`platform_id` text,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`language` text NOT NULL,
	`language_key` text NOT NULL,
	`category` text NOT NULL,
	`announced_category` text,
	`announced_category_at_ms` integer,
	`status` text NOT NULL,
	`archived_at_ms` integer,
	`status_before_archive` text,
	`reason` text,
	`recommendation` text,
	`quality` text DEFAULT 'UNKNOWN' NOT NULL,
	`parameter_format` text NOT NULL,
	`components` text NOT NULL,
	`published_components` text,
	`message_send_ttl_s` integer,
	`max_price` integer,
	`creative_opt_out` integer,
	`published_opt_out` integer,
	`header_media_id` blob,
	`has_local_changes` integer DEFAULT false NOT NULL,
	`syncing_until_ms` integer,
	`edits` text DEFAULT '[]' NOT NULL,
	`status_at_ms` integer DEFAULT 0 NOT NULL,
	`quality_at_ms` integer DEFAULT 0 NOT NULL,
	`category_at_ms` integer DEFAULT 0 NOT NULL,
	`components_at_ms` integer DEFAULT 0 NOT NULL,
	`words` text NOT NULL,
	`synced_at_ms` integer,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`header_media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "templates_deleted" CHECK("templates"."deleted_at_ms" is null or "templates"."status" = 'DELETED')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_name` ON `templates` (`organization_id`,`business_id`,`name`,`language_key`) WHERE "templates"."status" <> 'DELETED';
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_platform_id` ON `templates` (`organization_id`,`business_id`,`platform_id`) WHERE "templates"."platform_id" is not null and "templates"."status" <> 'DELETED';
--> statement-breakpoint
CREATE INDEX `templates_list` ON `templates` (`organization_id`,`created_at_ms`,`id`) WHERE "templates"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `templates_media` ON `templates` (`organization_id`,`header_media_id`) WHERE "templates"."header_media_id" is not null;
--> statement-breakpoint
CREATE TABLE `exports` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`source` text NOT NULL,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`options` text NOT NULL,
	`stored_as` text,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_by` blob,
	`actor` text NOT NULL,
	`finished_at_ms` integer,
	`expires_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `exports_recent` ON `exports` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `exports_expiring` ON `exports` (`expires_at_ms`);
--> statement-breakpoint
CREATE TABLE `import_rows` (
	`organization_id` blob NOT NULL,
	`import_id` blob NOT NULL,
	`row` integer NOT NULL,
	`outcome` text NOT NULL,
	`target_id` blob,
	`identity` text,
	`errors` text DEFAULT '[]' NOT NULL,
	`former` text,
	PRIMARY KEY(`organization_id`, `import_id`, `row`),
	FOREIGN KEY (`organization_id`,`import_id`) REFERENCES `imports`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `import_rows_outcome` ON `import_rows` (`organization_id`,`import_id`,`outcome`,`row`);
--> statement-breakpoint
CREATE INDEX `import_rows_identity` ON `import_rows` (`organization_id`,`import_id`,`identity`,`row`);
--> statement-breakpoint
CREATE TABLE `imports` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
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
	`created_by` blob,
	`actor` text NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `imports_recent` ON `imports` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `organization_archives` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`status` text NOT NULL,
	`has_files` integer NOT NULL,
	`encryption` text,
	`key_sealed` text,
	`credentials` text NOT NULL,
	`stored_as` text,
	`bytes` integer,
	`counts` text,
	`error` text,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	`expires_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "organization_archives_file" CHECK(("organization_archives"."status" = 'completed') = ("organization_archives"."stored_as" is not null)),
	CONSTRAINT "organization_archives_key" CHECK("organization_archives"."key_sealed" is null or "organization_archives"."status" in ('queued', 'running'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `organization_archives_recent` ON `organization_archives` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `organization_archives_expiring` ON `organization_archives` (`expires_at_ms`) WHERE "organization_archives"."stored_as" is not null;
--> statement-breakpoint
CREATE TABLE `erased_organizations` (
	`id` blob PRIMARY KEY NOT NULL,
	`started_at_ms` integer NOT NULL,
	`erased_at_ms` integer,
	`mentions` integer DEFAULT 0 NOT NULL,
	`costs` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_import_links` (
	`import_id` blob NOT NULL,
	`line` integer NOT NULL,
	`column` text NOT NULL,
	`row_id` blob NOT NULL,
	`target_id` blob NOT NULL,
	PRIMARY KEY(`import_id`, `line`, `column`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_import_numbers` (
	`import_id` blob NOT NULL,
	`former` integer NOT NULL,
	`number` integer NOT NULL,
	PRIMARY KEY(`import_id`, `former`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_import_users` (
	`import_id` blob NOT NULL,
	`archived_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`outcome` text NOT NULL,
	PRIMARY KEY(`import_id`, `archived_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_imports` (
	`id` blob PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`is_dry_run` integer NOT NULL,
	`filename` text,
	`archive_file` text,
	`archive_path` text,
	`digest` text NOT NULL,
	`key_sealed` text,
	`organization` text,
	`counts` text DEFAULT '{}' NOT NULL,
	`conflicts` text DEFAULT '[]' NOT NULL,
	`error` text,
	`rows_total` integer DEFAULT 0 NOT NULL,
	`rows_done` integer DEFAULT 0 NOT NULL,
	`step` text DEFAULT '' NOT NULL,
	`line` integer DEFAULT 0 NOT NULL,
	`open_runs` integer DEFAULT 0 NOT NULL,
	`move_id` blob,
	`from_cell` text,
	`ordered_at_ms` integer,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`finished_at_ms` integer,
	CONSTRAINT "organization_imports_waiting" CHECK("organization_imports"."state" <> 'waiting' or "organization_imports"."move_id" is not null),
	CONSTRAINT "organization_imports_finished" CHECK(("organization_imports"."state" in ('completed', 'failed', 'cancelled')) = ("organization_imports"."finished_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `organization_imports_recent` ON `organization_imports` (`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `organization_imports_live` ON `organization_imports` (`state`) WHERE "organization_imports"."state" in ('checking', 'running', 'waiting');
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_imports_move` ON `organization_imports` (`move_id`) WHERE "organization_imports"."move_id" is not null;
--> statement-breakpoint
CREATE TABLE `organization_moves` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`target` text NOT NULL,
	`step` text NOT NULL,
	`step_at_ms` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`error` text,
	`error_code` text,
	`archive_bytes` integer,
	`sent_bytes` integer DEFAULT 0 NOT NULL,
	`room_bytes` integer,
	`counts` text,
	`rows_done` integer DEFAULT 0 NOT NULL,
	`rows_total` integer DEFAULT 0 NOT NULL,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`frozen_at_ms` integer,
	`thawed_at_ms` integer,
	`forced_at_ms` integer,
	`finished_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "organization_moves_step" CHECK("organization_moves"."step" in ('freezing', 'draining', 'exporting', 'uploading', 'importing', 'activating', 'completed', 'aborting', 'aborted')),
	CONSTRAINT "organization_moves_finished" CHECK(("organization_moves"."step" in ('completed', 'aborted')) = ("organization_moves"."finished_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_moves_open` ON `organization_moves` (`organization_id`) WHERE "organization_moves"."step" not in ('completed', 'aborting', 'aborted');
--> statement-breakpoint
CREATE INDEX `organization_moves_recent` ON `organization_moves` (`created_at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `privacy_requests` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`contact_id` blob NOT NULL,
	`reason` text,
	`requested_by` blob,
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
CREATE INDEX `privacy_requests_recent` ON `privacy_requests` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `privacy_requests_open` ON `privacy_requests` (`organization_id`,`contact_id`) WHERE "privacy_requests"."state" = 'running';
--> statement-breakpoint
CREATE INDEX `privacy_requests_expiring` ON `privacy_requests` (`expires_at_ms`) WHERE "privacy_requests"."stored_as" is not null;
--> statement-breakpoint
CREATE TABLE `product_import_items` (
	`organization_id` blob NOT NULL,
	`import_id` blob NOT NULL,
	`kind` text NOT NULL,
	`source_id` text NOT NULL,
	`target_id` blob,
	`outcome` text NOT NULL,
	`reason` text,
	`details` text,
	PRIMARY KEY(`organization_id`, `import_id`, `kind`, `source_id`),
	FOREIGN KEY (`organization_id`,`import_id`) REFERENCES `product_imports`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `product_imports` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`product` text NOT NULL,
	`origin` text NOT NULL,
	`state` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	`finished_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `product_imports_origin` ON `product_imports` (`organization_id`,`product`,`origin`) WHERE "product_imports"."state" <> 'undone';
--> statement-breakpoint
CREATE TABLE `push_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`created_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `push_subscriptions` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`session_id` blob NOT NULL,
	`endpoint_hash` text NOT NULL,
	`target_sealed` text NOT NULL,
	`recent` text DEFAULT '{}' NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `push_subscriptions_endpoint` ON `push_subscriptions` (`organization_id`,`endpoint_hash`);
--> statement-breakpoint
CREATE INDEX `push_subscriptions_of_user` ON `push_subscriptions` (`organization_id`,`user_id`,`created_at_ms`);
--> statement-breakpoint
CREATE INDEX `push_subscriptions_session` ON `push_subscriptions` (`session_id`);
--> statement-breakpoint
CREATE TABLE `webhook_attempts` (
	`organization_id` blob NOT NULL,
	`delivery_id` blob NOT NULL,
	`number` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status_code` integer,
	`error_kind` text,
	`response_headers` text,
	`response_excerpt` text,
	PRIMARY KEY(`organization_id`, `delivery_id`, `number`),
	FOREIGN KEY (`organization_id`,`delivery_id`) REFERENCES `webhook_deliveries`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`endpoint_id` blob NOT NULL,
	`original_id` blob,
	`payload_id` blob NOT NULL,
	`event` text NOT NULL,
	`seq` integer NOT NULL,
	`contact_id` blob,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`next_attempt_at_ms` integer,
	`first_failed_at_ms` integer,
	`last_status_code` integer,
	`last_error` text,
	`delivered_at_ms` integer,
	`is_manual` integer DEFAULT false NOT NULL,
	`replay_id` blob,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`endpoint_id`) REFERENCES `webhook_endpoints`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_deliveries_attempts" CHECK("webhook_deliveries"."attempts" >= 0),
	CONSTRAINT "webhook_deliveries_delivered" CHECK(("webhook_deliveries"."state" = 'delivered') = ("webhook_deliveries"."delivered_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_recent` ON `webhook_deliveries` (`organization_id`,`endpoint_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_undelivered` ON `webhook_deliveries` (`organization_id`,`endpoint_id`,`state`,`created_at_ms`,`id`) WHERE "webhook_deliveries"."state" <> 'delivered';
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_of_contact` ON `webhook_deliveries` (`organization_id`,`contact_id`,`endpoint_id`,`created_at_ms`,`id`) WHERE "webhook_deliveries"."contact_id" is not null;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_of_payload` ON `webhook_deliveries` (`organization_id`,`payload_id`);
--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`past_events` text DEFAULT '[]' NOT NULL,
	`account_ids` text DEFAULT '[]' NOT NULL,
	`header_names` text DEFAULT '[]' NOT NULL,
	`headers_sealed` text,
	`secret_sealed` text NOT NULL,
	`previous_secret_sealed` text,
	`previous_expires_at_ms` integer,
	`concurrency` integer DEFAULT 8 NOT NULL,
	`rate_per_second` integer,
	`ordering` text DEFAULT 'none' NOT NULL,
	`include_phone_numbers` integer DEFAULT true NOT NULL,
	`since_position` integer NOT NULL,
	`disabled_at_ms` integer,
	`disabled_reason` text,
	`failing_since_ms` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`first_failed_id` blob,
	`down_since_ms` integer,
	`next_probe_at_ms` integer,
	`probes` integer DEFAULT 0 NOT NULL,
	`notices` integer DEFAULT 0 NOT NULL,
	`backlog_notice_at_ms` integer,
	`missed` integer DEFAULT 0 NOT NULL,
	`last_success_at_ms` integer,
	`last_failure_at_ms` integer,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_endpoints_disabled" CHECK(("webhook_endpoints"."disabled_at_ms" is null) = ("webhook_endpoints"."disabled_reason" is null)),
	CONSTRAINT "webhook_endpoints_previous" CHECK(("webhook_endpoints"."previous_secret_sealed" is null) = ("webhook_endpoints"."previous_expires_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_name` ON `webhook_endpoints` (`organization_id`,`name_key`) WHERE "webhook_endpoints"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE TABLE `webhook_hours` (
	`organization_id` blob NOT NULL,
	`endpoint_id` blob NOT NULL,
	`hour_ms` integer NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `endpoint_id`, `hour_ms`),
	FOREIGN KEY (`organization_id`,`endpoint_id`) REFERENCES `webhook_endpoints`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhook_payloads` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob,
	`body` text NOT NULL,
	`is_masked` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_payloads_of_contact` ON `webhook_payloads` (`organization_id`,`contact_id`) WHERE "webhook_payloads"."contact_id" is not null;
--> statement-breakpoint
CREATE INDEX `webhook_payloads_age` ON `webhook_payloads` (`created_at_ms`);
--> statement-breakpoint
CREATE TABLE `webhook_reader` (
	`id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhook_replays` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`endpoint_id` blob NOT NULL,
	`state` text NOT NULL,
	`from_ms` integer NOT NULL,
	`to_ms` integer NOT NULL,
	`events` text,
	`only_failed` integer NOT NULL,
	`is_queued` integer DEFAULT false NOT NULL,
	`after_id` blob,
	`total` integer NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`endpoint_id`) REFERENCES `webhook_endpoints`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_replays_of_endpoint` ON `webhook_replays` (`organization_id`,`endpoint_id`,`id`);
--> statement-breakpoint
CREATE TABLE `canned_responses` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`content` text NOT NULL,
	`shortcut` text,
	`words` text DEFAULT '' NOT NULL,
	`category` text NOT NULL,
	`is_active` integer NOT NULL,
	`usage_count` integer DEFAULT 0 NOT NULL,
	`buttons` text DEFAULT '[]' NOT NULL,
	`media_id` blob,
	`created_by` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `canned_responses_name` ON `canned_responses` (`organization_id`,`name_key`);
--> statement-breakpoint
CREATE UNIQUE INDEX `canned_responses_shortcut` ON `canned_responses` (`organization_id`,`shortcut`) WHERE "canned_responses"."shortcut" is not null;
--> statement-breakpoint
CREATE INDEX `canned_responses_usage` ON `canned_responses` (`organization_id`,`usage_count`,`id`);
--> statement-breakpoint
CREATE TABLE `contact_attributes` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`type` text NOT NULL,
	`options` text DEFAULT '[]' NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `contact_attributes_key` ON `contact_attributes` (`organization_id`,`key`);
--> statement-breakpoint
CREATE TABLE `consent_settings` (
	`organization_id` blob PRIMARY KEY NOT NULL,
	`opt_out_keywords` text NOT NULL,
	`opt_in_keywords` text NOT NULL,
	`opt_out_reply` text,
	`opt_in_reply` text,
	`updated_at_ms` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `contact_consents` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`purpose` text NOT NULL,
	`state` text NOT NULL,
	`source` text NOT NULL,
	`evidence` text,
	`message_id` blob,
	`actor_id` blob,
	`actor_name` text,
	`at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_consents_recent` ON `contact_consents` (`organization_id`,`contact_id`,`at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `notes` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`content` text NOT NULL,
	`mentions` text DEFAULT '[]' NOT NULL,
	`is_pinned` integer DEFAULT false NOT NULL,
	`created_by` blob,
	`created_by_name` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notes_of_contact` ON `notes` (`organization_id`,`contact_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `notes_recent` ON `notes` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `contact_terms` (
	`organization_id` blob NOT NULL,
	`term` text NOT NULL,
	`contact_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `term`, `contact_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_words` (
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`words` text NOT NULL,
	`digits` text NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_counts` (
	`organization_id` blob PRIMARY KEY NOT NULL,
	`contacts` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `contact_identities` (
	`organization_id` blob NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`contact_id` blob NOT NULL,
	`expires_at_ms` integer,
	`account_id` blob,
	`first_seen_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `kind`, `value`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `contact_identities_contact` ON `contact_identities` (`organization_id`,`contact_id`,`kind`,`value`);
--> statement-breakpoint
CREATE TABLE `contact_merges` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`target_id` blob NOT NULL,
	`source_id` blob NOT NULL,
	`undo` text NOT NULL,
	`actor_id` blob,
	`merged_at_ms` integer NOT NULL,
	`undone_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`target_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`source_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_merges_source` ON `contact_merges` (`organization_id`,`source_id`);
--> statement-breakpoint
CREATE INDEX `contact_merges_target` ON `contact_merges` (`organization_id`,`target_id`);
--> statement-breakpoint
CREATE TABLE `contact_tags` (
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`tag_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`, `tag_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`tag_id`) REFERENCES `tags`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `contact_tags_tag` ON `contact_tags` (`organization_id`,`tag_id`,`contact_id`);
--> statement-breakpoint
CREATE TABLE `contact_viewers` (
	`organization_id` blob NOT NULL,
	`viewer_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `viewer_id`, `contact_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `contact_viewers_contact` ON `contact_viewers` (`organization_id`,`contact_id`,`viewer_id`);
--> statement-breakpoint
CREATE TABLE `contacts` (
	`row` integer PRIMARY KEY NOT NULL,
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`phone_number` text,
	`user_id` text,
	`name` text,
	`profile_name` text,
	`username` text,
	`book_name` text,
	`book_named_at_ms` integer,
	`wa_id` text,
	`parent_user_id` text,
	`country` text,
	`language` text,
	`marketing_consent` text DEFAULT 'unknown' NOT NULL,
	`assigned_to` blob,
	`assigned_team_id` blob,
	`account_id` blob,
	`source` text NOT NULL,
	`metadata` text DEFAULT '{}' NOT NULL,
	`attributes` text DEFAULT '{}' NOT NULL,
	`sort_name` text DEFAULT '' NOT NULL,
	`undeliverable_since_ms` integer,
	`blocked_at_ms` integer,
	`platform_blocked_at_ms` integer,
	`first_seen_at_ms` integer NOT NULL,
	`last_message_at_ms` integer,
	`last_inbound_at_ms` integer,
	`window_closed_at_ms` integer,
	`unread_count` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	`merged_into` blob,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_to`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_team_id`) REFERENCES `teams`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`merged_into`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contacts_unread" CHECK("contacts"."unread_count" >= 0),
	CONSTRAINT "contacts_consent" CHECK("contacts"."marketing_consent" in ('unknown', 'opted_in', 'opted_out'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_id` ON `contacts` (`organization_id`,`id`);
--> statement-breakpoint
CREATE INDEX `contacts_by_name` ON `contacts` (`organization_id`,`sort_name`,`id`);
--> statement-breakpoint
CREATE INDEX `contacts_recent` ON `contacts` (`organization_id`,`last_message_at_ms`) WHERE "contacts"."last_message_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_undated` ON `contacts` (`organization_id`,`id`) WHERE "contacts"."last_message_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `contacts_recent_on` ON `contacts` (`organization_id`,`account_id`,`last_message_at_ms`) WHERE "contacts"."last_message_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_undated_on` ON `contacts` (`organization_id`,`account_id`,`id`) WHERE "contacts"."last_message_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `contacts_assigned` ON `contacts` (`organization_id`,`assigned_to`,`last_message_at_ms`,`id`) WHERE "contacts"."assigned_to" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_of_team` ON `contacts` (`organization_id`,`assigned_team_id`,`id`) WHERE "contacts"."assigned_team_id" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_recent_consent` ON `contacts` (`organization_id`,`marketing_consent`,`last_message_at_ms`,`id`) WHERE "contacts"."marketing_consent" <> 'unknown';
--> statement-breakpoint
CREATE INDEX `contacts_merged` ON `contacts` (`organization_id`,`merged_into`) WHERE "contacts"."merged_into" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_blocked` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`) WHERE "contacts"."blocked_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `contacts_without_number` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`) WHERE "contacts"."phone_number" is null;
--> statement-breakpoint
CREATE TABLE `contacts_apart` (
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`other_id` blob NOT NULL,
	`actor_id` blob,
	`decided_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`, `other_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`other_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contacts_apart_order" CHECK("contacts_apart"."contact_id" < "contacts_apart"."other_id")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `contacts_apart_other` ON `contacts_apart` (`organization_id`,`other_id`);
--> statement-breakpoint
CREATE TABLE `suppressions` (
	`organization_id` blob NOT NULL,
	`mark` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `mark`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `conversation_counts` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`assigned_to` blob NOT NULL,
	`team_id` blob NOT NULL,
	`state` text NOT NULL,
	`conversations` integer NOT NULL,
	`unread` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`, `assigned_to`, `team_id`, `state`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `conversations` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`state` text NOT NULL,
	`priority` text DEFAULT 'normal' NOT NULL,
	`assigned_to` blob,
	`team_id` blob,
	`unread_count` integer DEFAULT 0 NOT NULL,
	`last_message_id` blob,
	`last_message_at_ms` integer,
	`last_inbound_at_ms` integer,
	`window_closed_at_ms` integer,
	`unanswered_since_ms` integer,
	`last_answered_at_ms` integer,
	`snoozed_until_ms` integer,
	`thread_owner` text DEFAULT 'us' NOT NULL,
	`owner_since_ms` integer,
	`owner_role` text,
	`first_referral` text,
	`last_referral` text,
	`free_entry_until_ms` integer,
	`published_at_ms` integer,
	`publish_due_at_ms` integer,
	`unpublished` text DEFAULT '[]' NOT NULL,
	`last_typing_at_ms` integer,
	`first_response_at_ms` integer,
	`closed_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`assigned_to`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`team_id`) REFERENCES `teams`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "conversations_unread" CHECK("conversations"."unread_count" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_pair` ON `conversations` (`organization_id`,`contact_id`,`account_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_of_messages` ON `conversations` (`organization_id`,`contact_id`,`account_id`,`id`);
--> statement-breakpoint
CREATE INDEX `conversations_assigned` ON `conversations` (`organization_id`,`assigned_to`,`contact_id`) WHERE "conversations"."assigned_to" is not null;
--> statement-breakpoint
CREATE INDEX `conversations_recent_of` ON `conversations` (`organization_id`,`assigned_to`,`last_message_at_ms`) WHERE "conversations"."assigned_to" is not null;
--> statement-breakpoint
CREATE INDEX `conversations_unassigned` ON `conversations` (`organization_id`,`last_message_at_ms`) WHERE "conversations"."assigned_to" is null;
--> statement-breakpoint
CREATE INDEX `conversations_of_team` ON `conversations` (`organization_id`,`team_id`,`contact_id`) WHERE "conversations"."team_id" is not null;
--> statement-breakpoint
CREATE INDEX `conversations_recent_of_team` ON `conversations` (`organization_id`,`team_id`,`last_message_at_ms`) WHERE "conversations"."team_id" is not null;
--> statement-breakpoint
CREATE INDEX `conversations_recent_in` ON `conversations` (`organization_id`,`state`,`last_message_at_ms`);
--> statement-breakpoint
CREATE INDEX `conversations_recent_on` ON `conversations` (`organization_id`,`account_id`,`last_message_at_ms`);
--> statement-breakpoint
CREATE INDEX `conversations_unread` ON `conversations` (`organization_id`,`last_message_at_ms`) WHERE "conversations"."unread_count" > 0;
--> statement-breakpoint
CREATE INDEX `conversations_waiting` ON `conversations` (`organization_id`,`state`,`unanswered_since_ms`) WHERE "conversations"."unanswered_since_ms" is not null;
--> statement-breakpoint
CREATE INDEX `conversations_window` ON `conversations` (`organization_id`,`last_inbound_at_ms`);
--> statement-breakpoint
CREATE INDEX `conversations_pending` ON `conversations` (`last_message_at_ms`) WHERE "conversations"."state" = 'pending' and "conversations"."unanswered_since_ms" is not null;
--> statement-breakpoint
CREATE TABLE `thread_facts` (
	`organization_id` blob NOT NULL,
	`conversation_id` blob NOT NULL,
	`kind` text NOT NULL,
	`at_ms` integer NOT NULL,
	`role` text,
	PRIMARY KEY(`organization_id`, `conversation_id`, `kind`, `at_ms`),
	FOREIGN KEY (`organization_id`,`conversation_id`) REFERENCES `conversations`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `timeline_entries` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`former_contact_id` blob NOT NULL,
	`account_id` blob,
	`kind` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor` blob,
	`details` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`former_contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `timeline_entries_of_contact` ON `timeline_entries` (`organization_id`,`contact_id`,`at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `cost_totals` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`month` integer NOT NULL,
	`currency` text NOT NULL,
	`settled_micros` integer NOT NULL,
	`estimated_micros` integer NOT NULL,
	`estimated_messages` integer NOT NULL,
	`unpriced_messages` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`, `month`, `currency`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `cost_totals_month` ON `cost_totals` (`organization_id`,`month`,`currency`);
--> statement-breakpoint
CREATE TABLE `service_counts` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`month` integer NOT NULL,
	`sent` integer NOT NULL,
	`delivered` integer NOT NULL,
	`erased_free` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`, `month`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `message_revisions` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`target_wa_message_id` text NOT NULL,
	`wa_message_id` text NOT NULL,
	`kind` text NOT NULL,
	`content` text,
	`raw` text,
	`contact_id` blob NOT NULL,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`pending_since_ms` integer,
	PRIMARY KEY(`organization_id`, `account_id`, `target_wa_message_id`, `wa_message_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_revisions_contact` ON `message_revisions` (`organization_id`,`contact_id`);
--> statement-breakpoint
CREATE INDEX `message_revisions_pending` ON `message_revisions` (`pending_since_ms`) WHERE "message_revisions"."pending_since_ms" is not null;
--> statement-breakpoint
CREATE TABLE `message_reactions` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`target_wa_message_id` text NOT NULL,
	`reactor` text NOT NULL,
	`participant` text DEFAULT '' NOT NULL,
	`message_id` blob,
	`contact_id` blob NOT NULL,
	`user_id` blob,
	`emoji` text,
	`wa_message_id` text,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`former` text,
	PRIMARY KEY(`organization_id`, `account_id`, `target_wa_message_id`, `reactor`, `participant`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `message_reactions_contact` ON `message_reactions` (`organization_id`,`contact_id`);
--> statement-breakpoint
CREATE INDEX `message_reactions_message` ON `message_reactions` (`organization_id`,`message_id`);
--> statement-breakpoint
CREATE TABLE `message_statuses` (
	`organization_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`wa_message_id` text NOT NULL,
	`status` text NOT NULL,
	`participant` text DEFAULT '' NOT NULL,
	`timestamp_ms` integer NOT NULL,
	`received_at_ms` integer NOT NULL,
	`errors` text DEFAULT '[]' NOT NULL,
	`pricing` text,
	`template_id` text,
	PRIMARY KEY(`organization_id`, `account_id`, `wa_message_id`, `status`, `participant`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `message_files` (
	`organization_id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`media_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `message_id`, `media_id`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `message_files_media` ON `message_files` (`organization_id`,`media_id`);
--> statement-breakpoint
CREATE TABLE `message_templates` (
	`organization_id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `message_id`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `message_templates_template` ON `message_templates` (`organization_id`,`template_id`,`created_at_ms`);
--> statement-breakpoint
CREATE TABLE `message_words` (
	`row` integer PRIMARY KEY NOT NULL,
	`organization_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`scope` text GENERATED ALWAYS AS ((char(57344) || 'o' || lower(hex("organization_id")) || ' ' || char(57344) || 'c' || lower(hex("contact_id")))) VIRTUAL NOT NULL,
	`words` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `messages` (
	`row` integer PRIMARY KEY NOT NULL,
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`conversation_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`wa_message_id` text,
	`direction` text GENERATED ALWAYS AS (iif("stage" is null, 'incoming', 'outgoing')) VIRTUAL NOT NULL,
	`type` text NOT NULL,
	`content` text NOT NULL,
	`preview` text NOT NULL,
	`status` text NOT NULL,
	`stage` text,
	`held_reason` text,
	`is_silent` integer DEFAULT false NOT NULL,
	`is_observed` integer DEFAULT false NOT NULL,
	`source` text NOT NULL,
	`ai_model` text,
	`sent_by` blob,
	`sent_by_name` text,
	`client_ref` text,
	`bot_flow_id` blob,
	`campaign_id` blob,
	`template_id` blob,
	`platform_template_id` text,
	`is_direct` integer DEFAULT false NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`send_options` text,
	`reply_to_id` blob,
	`answered_after_ms` integer,
	`resend_of_id` blob,
	`repeat_at_ms` integer,
	`media_id` blob,
	`context` text,
	`referral` text,
	`raw` text,
	`warnings` text,
	`error` text,
	`pricing` text,
	`cost_micros` integer,
	`cost_currency` text,
	`cost_category` text,
	`cost_country` text,
	`cost_free_reason` text,
	`is_cost_estimate` integer DEFAULT false NOT NULL,
	`cost_month` integer,
	`window_at_send` text,
	`allowance_month` integer,
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
	FOREIGN KEY (`organization_id`,`contact_id`,`account_id`,`conversation_id`) REFERENCES `conversations`(`organization_id`,`contact_id`,`account_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`reply_to_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`resend_of_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_id` ON `messages` (`organization_id`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_platform_id` ON `messages` (`organization_id`,`account_id`,`wa_message_id`) WHERE "messages"."wa_message_id" is not null;
--> statement-breakpoint
CREATE INDEX `messages_of_contact` ON `messages` (`organization_id`,`contact_id`,`timestamp_ms`);
--> statement-breakpoint
CREATE INDEX `messages_unsettled` ON `messages` (`organization_id`,`account_id`,`stage`,`created_at_ms`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');
--> statement-breakpoint
CREATE INDEX `messages_waiting` ON `messages` (`organization_id`,`created_at_ms`,`id`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');
--> statement-breakpoint
CREATE INDEX `messages_of_number` ON `messages` (`organization_id`,`account_id`,`created_at_ms`) WHERE "messages"."direction" = 'outgoing';
--> statement-breakpoint
CREATE INDEX `messages_observed` ON `messages` (`organization_id`,`account_id`,`created_at_ms`,`source`) WHERE "messages"."is_observed" = 1;
--> statement-breakpoint
CREATE INDEX `messages_answers` ON `messages` (`organization_id`,("created_at_ms" - "answered_after_ms"),`contact_id`,`sent_by`) WHERE "messages"."answered_after_ms" is not null;
--> statement-breakpoint
CREATE INDEX `messages_replies` ON `messages` (`organization_id`,`reply_to_id`) WHERE "messages"."reply_to_id" is not null;
--> statement-breakpoint
CREATE INDEX `messages_resends` ON `messages` (`organization_id`,`resend_of_id`) WHERE "messages"."resend_of_id" is not null;
--> statement-breakpoint
CREATE INDEX `messages_of_media` ON `messages` (`organization_id`,`media_id`) WHERE "messages"."media_id" is not null;
--> statement-breakpoint
CREATE INDEX `messages_unread_notices` ON `messages` (`organization_id`,`conversation_id`) WHERE "messages"."type" = 'system' and "messages"."direction" = 'incoming' and "messages"."status" = 'delivered';
--> statement-breakpoint
CREATE INDEX `messages_costs` ON `messages` (`organization_id`,`conversation_id`,`cost_month`,`cost_currency`,`cost_micros`,`is_cost_estimate`) WHERE "messages"."cost_month" is not null;
--> statement-breakpoint
CREATE INDEX `messages_allowance` ON `messages` (`organization_id`,`account_id`,`allowance_month`,`delivered_at_ms`,`id`) WHERE "messages"."allowance_month" is not null;
--> statement-breakpoint
CREATE INDEX `messages_unknown` ON `messages` (`organization_id`,`created_at_ms`) WHERE "messages"."stage" = 'unknown';
--> statement-breakpoint
CREATE INDEX `messages_pending_of_contact` ON `messages` (`organization_id`,`contact_id`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');
--> statement-breakpoint
CREATE TABLE `send_attempts` (
	`organization_id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`attempt` integer NOT NULL,
	`path` text DEFAULT 'messages' NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`outcome` text,
	`http_status` integer,
	`platform_code` integer,
	`trace_id` text,
	PRIMARY KEY(`organization_id`, `message_id`, `attempt`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `orders` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`message_id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`state` text NOT NULL,
	`catalog_id` text,
	`text` text,
	`items` text NOT NULL,
	`total` real,
	`currency` text,
	`placed_at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_of_message` ON `orders` (`organization_id`,`message_id`);
--> statement-breakpoint
CREATE INDEX `orders_of_contact` ON `orders` (`organization_id`,`contact_id`,`placed_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_recent` ON `orders` (`organization_id`,`placed_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_recent_in` ON `orders` (`organization_id`,`state`,`placed_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `orders_recent_on` ON `orders` (`organization_id`,`account_id`,`placed_at_ms`,`id`);
--> statement-breakpoint
CREATE TABLE `scheduled_files` (
	`organization_id` blob NOT NULL,
	`scheduled_id` blob NOT NULL,
	`media_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `scheduled_id`, `media_id`),
	FOREIGN KEY (`organization_id`,`scheduled_id`) REFERENCES `scheduled_messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `scheduled_files_media` ON `scheduled_files` (`organization_id`,`media_id`);
--> statement-breakpoint
CREATE TABLE `scheduled_messages` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob NOT NULL,
	`written_for_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`message` text NOT NULL,
	`fallback_template` text,
	`stored_files` text NOT NULL,
	`send_at_ms` integer NOT NULL,
	`cancels_on_reply` integer NOT NULL,
	`state` text NOT NULL,
	`message_id` blob,
	`is_fallback_sent` integer DEFAULT false NOT NULL,
	`error` text,
	`created_by` blob,
	`created_by_key` blob,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`written_for_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "scheduled_messages_ended" CHECK(("scheduled_messages"."state" = 'scheduled') = ("scheduled_messages"."ended_at_ms" is null)),
	CONSTRAINT "scheduled_messages_sent" CHECK(("scheduled_messages"."state" = 'sent') = ("scheduled_messages"."message_id" is not null)),
	CONSTRAINT "scheduled_messages_failed" CHECK(("scheduled_messages"."state" = 'failed') = ("scheduled_messages"."error" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `scheduled_messages_times` ON `scheduled_messages` (`organization_id`,`send_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `scheduled_messages_of_author` ON `scheduled_messages` (`organization_id`,`created_by`,`send_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `scheduled_messages_of_contact` ON `scheduled_messages` (`organization_id`,`contact_id`,`send_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `scheduled_messages_open` ON `scheduled_messages` (`organization_id`,`contact_id`) WHERE "scheduled_messages"."state" = 'scheduled';
--> statement-breakpoint
CREATE INDEX `scheduled_messages_open_of_account` ON `scheduled_messages` (`organization_id`,`account_id`) WHERE "scheduled_messages"."state" = 'scheduled';
--> statement-breakpoint
CREATE INDEX `scheduled_messages_age` ON `scheduled_messages` (`ended_at_ms`) WHERE "scheduled_messages"."ended_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `tags` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`color` text NOT NULL,
	`contact_count` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`organization_id`,`name_key`);
--> statement-breakpoint
CREATE TABLE `team_members` (
	`organization_id` blob NOT NULL,
	`team_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`id` blob NOT NULL,
	`role` text NOT NULL,
	`last_assigned_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `team_id`, `user_id`),
	FOREIGN KEY (`organization_id`,`team_id`) REFERENCES `teams`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`user_id`) REFERENCES `memberships`(`organization_id`,`user_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `team_members_user` ON `team_members` (`organization_id`,`user_id`,`team_id`);
--> statement-breakpoint
CREATE TABLE `teams` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`assignment_strategy` text NOT NULL,
	`is_active` integer NOT NULL,
	`per_agent_timeout_s` integer NOT NULL,
	`max_active_per_agent` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "teams_timeout" CHECK("teams"."per_agent_timeout_s" between 0 and 3600),
	CONSTRAINT "teams_capacity" CHECK("teams"."max_active_per_agent" >= 1),
	CONSTRAINT "teams_deleted" CHECK("teams"."deleted_at_ms" is null or "teams"."is_active" = 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `teams_name` ON `teams` (`organization_id`,`name_key`) WHERE "teams"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE TABLE `views` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`owner_id` blob NOT NULL,
	`name` text NOT NULL,
	`resource` text NOT NULL,
	`filter` text NOT NULL,
	`is_shared` integer NOT NULL,
	`position` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `views_of_owner` ON `views` (`organization_id`,`owner_id`);
--> statement-breakpoint
CREATE INDEX `views_with_search` ON `views` (`organization_id`) WHERE "views"."filter" ->> 'search' is not null;
--> statement-breakpoint
CREATE INDEX `views_shared` ON `views` (`organization_id`) WHERE "views"."is_shared" = 1;
--> statement-breakpoint
CREATE TABLE `agent_message_counts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`user_id` blob NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `user_id`, `unit`, `start`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `agent_message_counts_start` ON `agent_message_counts` (`organization_id`,`part`,`unit`,`start`);
--> statement-breakpoint
CREATE TABLE `agent_response_counts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`user_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`bin` integer NOT NULL,
	`responses` integer NOT NULL,
	`waited_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `user_id`, `unit`, `start`, `bin`, `account_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `agent_response_counts_start` ON `agent_response_counts` (`organization_id`,`part`,`unit`,`start`);
--> statement-breakpoint
CREATE TABLE `transfer_counts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`user_id` blob NOT NULL,
	`account_id` blob NOT NULL,
	`handled` integer NOT NULL,
	`picked_up` integer NOT NULL,
	`queued_ms` integer NOT NULL,
	`resolution_ms` integer NOT NULL,
	`breached` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `user_id`, `unit`, `start`, `account_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `transfer_counts_start` ON `transfer_counts` (`organization_id`,`part`,`unit`,`start`);
--> statement-breakpoint
CREATE TABLE `boards` (
	`organization_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`widgets` text NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `ai_call_counts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`requests` integer NOT NULL,
	`failed` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `bot_session_counts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`flow_id` blob NOT NULL,
	`node` text NOT NULL,
	`sessions` integer NOT NULL,
	`completed` integer NOT NULL,
	`auto_resolved` integer NOT NULL,
	`transferred` integer NOT NULL,
	`abandoned` integer NOT NULL,
	`messages` integer NOT NULL,
	`bot_messages` integer NOT NULL,
	`bot_turns` integer NOT NULL,
	`resolution_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`, `flow_id`, `node`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `keyword_rollups` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`kind` text NOT NULL,
	`source_id` blob NOT NULL,
	`keyword` text NOT NULL,
	`hits` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`, `kind`, `source_id`, `keyword`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_rollups` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`contact` integer NOT NULL,
	`source` text NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`, `contact`, `source`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contacts_seen` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`contacts` integer NOT NULL,
	`live` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cost_changes` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`category` text NOT NULL,
	`country` text NOT NULL,
	`source` text NOT NULL,
	`campaign_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`bot_flow_id` blob NOT NULL,
	`agent_id` blob NOT NULL,
	`currency` text NOT NULL,
	`billable` integer DEFAULT 0 NOT NULL,
	`free` integer DEFAULT 0 NOT NULL,
	`unpriced` integer DEFAULT 0 NOT NULL,
	`estimated` integer DEFAULT 0 NOT NULL,
	`micros` integer DEFAULT 0 NOT NULL,
	`estimated_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`, `category`, `country`, `source`, `campaign_id`, `template_id`, `bot_flow_id`, `agent_id`, `currency`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cost_rollups` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`dimension` text NOT NULL,
	`key` text NOT NULL,
	`currency` text NOT NULL,
	`billable` integer DEFAULT 0 NOT NULL,
	`free` integer DEFAULT 0 NOT NULL,
	`unpriced` integer DEFAULT 0 NOT NULL,
	`estimated` integer DEFAULT 0 NOT NULL,
	`micros` integer DEFAULT 0 NOT NULL,
	`estimated_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `dimension`, `unit`, `start`, `account_id`, `key`, `currency`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `message_rollups` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`unit` integer NOT NULL,
	`start` integer NOT NULL,
	`account_id` blob NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`read` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`answers` integer DEFAULT 0 NOT NULL,
	`answer_ms` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `part`, `unit`, `start`, `account_id`, `source`, `type`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rollup_parts` (
	`organization_id` blob NOT NULL,
	`part` integer NOT NULL,
	`through` blob,
	PRIMARY KEY(`organization_id`, `part`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `scheduled_report_mails` (
	`organization_id` blob NOT NULL,
	`report_id` blob NOT NULL,
	`start_date` text NOT NULL,
	`requested_at_ms` integer NOT NULL,
	`user_id` blob NOT NULL,
	`state` text NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `report_id`, `start_date`, `requested_at_ms`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`report_id`,`start_date`,`requested_at_ms`) REFERENCES `scheduled_report_runs`(`organization_id`,`report_id`,`start_date`,`requested_at_ms`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `scheduled_report_recipients` (
	`organization_id` blob NOT NULL,
	`report_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	PRIMARY KEY(`organization_id`, `report_id`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`report_id`) REFERENCES `scheduled_reports`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `scheduled_report_runs` (
	`organization_id` blob NOT NULL,
	`report_id` blob NOT NULL,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`requested_at_ms` integer NOT NULL,
	`state` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`organization_id`, `report_id`, `start_date`, `requested_at_ms`),
	FOREIGN KEY (`organization_id`,`report_id`) REFERENCES `scheduled_reports`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "scheduled_report_runs_ended" CHECK(("scheduled_report_runs"."state" = 'sending') = ("scheduled_report_runs"."ended_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `scheduled_report_runs_newest` ON `scheduled_report_runs` (`organization_id`,`report_id`,`started_at_ms`);
--> statement-breakpoint
CREATE TABLE `scheduled_reports` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`made_by` blob,
	`reports` text NOT NULL,
	`every` text NOT NULL,
	`at` text NOT NULL,
	`is_active` integer NOT NULL,
	`next_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "scheduled_reports_next" CHECK("scheduled_reports"."is_active" = ("scheduled_reports"."next_at_ms" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `scheduled_reports_due` ON `scheduled_reports` (`next_at_ms`) WHERE "scheduled_reports"."next_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `api_key_permissions` (
	`organization_id` blob NOT NULL,
	`api_key_id` blob NOT NULL,
	`permission` text NOT NULL,
	PRIMARY KEY(`organization_id`, `api_key_id`, `permission`),
	FOREIGN KEY (`organization_id`,`api_key_id`) REFERENCES `api_keys`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL,
	`key_hash` text NOT NULL,
	`key_prefix` text NOT NULL,
	`owner_user_id` blob NOT NULL,
	`owner_membership_id` blob,
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
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`key_hash`);
--> statement-breakpoint
CREATE INDEX `api_keys_recent` ON `api_keys` (`organization_id`,`created_at_ms`,`id`,`is_active`,`name_key`,`key_prefix`);
--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`organization_id`,`owner_user_id`);
--> statement-breakpoint
CREATE TABLE `audit_logs` (
	`row` integer PRIMARY KEY NOT NULL,
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`actor_type` text NOT NULL,
	`user_id` blob,
	`user_name` text,
	`api_key_id` blob,
	`action` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_id` blob,
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
CREATE UNIQUE INDEX `audit_logs_id` ON `audit_logs` (`organization_id`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_logs_row` ON `audit_logs` (`organization_id`,`row`);
--> statement-breakpoint
CREATE INDEX `audit_logs_recent` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `audit_logs_type` ON `audit_logs` (`organization_id`,`resource_type`,`created_at_ms`,`id`,`words`);
--> statement-breakpoint
CREATE INDEX `audit_logs_action` ON `audit_logs` (`organization_id`,`action`,`created_at_ms`,`id`,`resource_type`,`words`);
--> statement-breakpoint
CREATE INDEX `audit_logs_user` ON `audit_logs` (`organization_id`,`user_id`,`created_at_ms`,`id`,`action`,`resource_type`,`words`);
--> statement-breakpoint
CREATE INDEX `audit_logs_key` ON `audit_logs` (`organization_id`,`api_key_id`,`created_at_ms`,`id`,`user_id`,`action`,`resource_type`,`words`) WHERE api_key_id is not null;
--> statement-breakpoint
CREATE INDEX `audit_logs_resource` ON `audit_logs` (`organization_id`,`resource_id`,`created_at_ms`,`id`,`api_key_id`,`user_id`,`action`,`resource_type`,`words`);
--> statement-breakpoint
CREATE INDEX `audit_logs_words` ON `audit_logs` (`organization_id`,`created_at_ms`,`id`,`words`);
--> statement-breakpoint
CREATE INDEX `audit_logs_age` ON `audit_logs` (`created_at_ms`);
--> statement-breakpoint
CREATE TABLE `backup_codes` (
	`id` blob PRIMARY KEY NOT NULL,
	`user_id` blob NOT NULL,
	`code_hmac` text NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `backup_codes_code` ON `backup_codes` (`user_id`,`code_hmac`);
--> statement-breakpoint
CREATE TABLE `password_resets` (
	`id` blob PRIMARY KEY NOT NULL,
	`user_id` blob NOT NULL,
	`token_hash` text NOT NULL,
	`issued_by` blob,
	`issued_in` blob,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`issued_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`issued_in`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `password_resets_token` ON `password_resets` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `password_resets_of_user` ON `password_resets` (`user_id`);
--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`id` blob PRIMARY KEY NOT NULL,
	`session_id` blob NOT NULL,
	`organization_id` blob NOT NULL,
	`token_hash` text NOT NULL,
	`successor_id` blob,
	`issued_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refresh_tokens_hash` ON `refresh_tokens` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_chain` ON `refresh_tokens` (`session_id`,`organization_id`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_age` ON `refresh_tokens` (`expires_at_ms`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_organization` ON `refresh_tokens` (`organization_id`);
--> statement-breakpoint
CREATE TABLE `rights_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` blob PRIMARY KEY NOT NULL,
	`user_id` blob NOT NULL,
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
CREATE INDEX `sessions_of_user` ON `sessions` (`user_id`,`ended_at_ms`);
--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`expires_at_ms`);
--> statement-breakpoint
CREATE TABLE `socket_tickets` (
	`id` blob PRIMARY KEY NOT NULL,
	`ticket_hash` text NOT NULL,
	`session_id` blob,
	`organization_id` blob NOT NULL,
	`api_key_id` blob,
	`access_expires_at_ms` integer,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`api_key_id`) REFERENCES `api_keys`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "socket_tickets_credential" CHECK(("socket_tickets"."session_id" is null) <> ("socket_tickets"."api_key_id" is null)),
	CONSTRAINT "socket_tickets_session" CHECK(("socket_tickets"."session_id" is null) = ("socket_tickets"."access_expires_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `socket_tickets_hash` ON `socket_tickets` (`ticket_hash`);
--> statement-breakpoint
CREATE INDEX `socket_tickets_age` ON `socket_tickets` (`expires_at_ms`);
--> statement-breakpoint
CREATE INDEX `socket_tickets_organization` ON `socket_tickets` (`organization_id`);
--> statement-breakpoint
CREATE TABLE `token_cutoffs` (
	`organization_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`not_before_s` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `invitations` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`email` text,
	`role_id` blob,
	`token_hash` text NOT NULL,
	`invited_by` blob NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`accepted_at_ms` integer,
	`accepted_by_user_id` blob,
	`revoked_at_ms` integer,
	`is_confirmation` integer DEFAULT false NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invited_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`accepted_by_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token` ON `invitations` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `invitations_recent` ON `invitations` (`organization_id`,`created_at_ms`,`id`,`accepted_at_ms`,`revoked_at_ms`,`expires_at_ms`,`email`);
--> statement-breakpoint
CREATE INDEX `invitations_email` ON `invitations` (`organization_id`,`email`);
--> statement-breakpoint
CREATE INDEX `invitations_role` ON `invitations` (`organization_id`,`role_id`);
--> statement-breakpoint
CREATE TABLE `member_breaks` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `member_breaks_of_user` ON `member_breaks` (`organization_id`,`user_id`,`started_at_ms`);
--> statement-breakpoint
CREATE TABLE `member_removals` (
	`organization_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`removed_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `memberships` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`role_id` blob NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`is_confirmed` integer DEFAULT true NOT NULL,
	`is_available` integer DEFAULT true NOT NULL,
	`is_disabled` integer DEFAULT false NOT NULL,
	`words` text DEFAULT '' NOT NULL,
	`accepted_from_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_user` ON `memberships` (`organization_id`,`user_id`);
--> statement-breakpoint
CREATE INDEX `memberships_of_user` ON `memberships` (`user_id`);
--> statement-breakpoint
CREATE INDEX `memberships_by_name` ON `memberships` (`organization_id`,`words`,`is_active`,`is_disabled`,`is_available`);
--> statement-breakpoint
CREATE INDEX `memberships_recent` ON `memberships` (`organization_id`,`created_at_ms`,`id`,`is_active`,`is_disabled`,`is_available`,`words`);
--> statement-breakpoint
CREATE INDEX `memberships_role` ON `memberships` (`organization_id`,`role_id`,`words`,`is_active`,`is_disabled`,`is_available`);
--> statement-breakpoint
CREATE INDEX `memberships_role_recent` ON `memberships` (`organization_id`,`role_id`,`created_at_ms`,`id`,`is_active`,`is_disabled`,`is_available`,`words`);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`text` text,
	`link` text,
	`created_at_ms` integer NOT NULL,
	`read_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notifications_of_user` ON `notifications` (`organization_id`,`user_id`,`created_at_ms`,`id`,`read_at_ms`);
--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`organization_id`,`user_id`,`created_at_ms`,`id`) WHERE "notifications"."read_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `notifications_age` ON `notifications` (`created_at_ms`);
--> statement-breakpoint
CREATE TABLE `works` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`state` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer,
	`link` text,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`published_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `works_of_user` ON `works` (`organization_id`,`user_id`,`started_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `works_age` ON `works` (`started_at_ms`);
--> statement-breakpoint
CREATE TABLE `retention_settings` (
	`organization_id` blob PRIMARY KEY NOT NULL,
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
--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` blob PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL,
	`slug` text NOT NULL,
	`mask_phone_numbers` integer DEFAULT false NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`date_format` text DEFAULT 'YYYY-MM-DD' NOT NULL,
	`language` text,
	`default_country` text,
	`registration_policy` text DEFAULT 'open' NOT NULL,
	`message_activity_sharing` integer DEFAULT false NOT NULL,
	`creative_opt_out` integer DEFAULT false NOT NULL,
	`template_max_price` integer DEFAULT false NOT NULL,
	`push_shows_content` integer DEFAULT false NOT NULL,
	`new_conversations` text DEFAULT 'general' NOT NULL,
	`spend` text,
	`spend_warned` text,
	`setup_dismissed_at_ms` integer,
	`state` text DEFAULT 'active' NOT NULL,
	`deletes_at_ms` integer,
	`moved_to` text,
	`moves` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	CONSTRAINT "organizations_id" CHECK(length("organizations"."id") = 16),
	CONSTRAINT "organizations_policy" CHECK("organizations"."registration_policy" in ('open', 'invitation', 'closed')),
	CONSTRAINT "organizations_state" CHECK("organizations"."state" in ('active', 'deleting', 'erasing', 'importing', 'moving', 'moved')),
	CONSTRAINT "organizations_deletes" CHECK(("organizations"."state" in ('deleting', 'moved')) = ("organizations"."deletes_at_ms" is not null)),
	CONSTRAINT "organizations_moves" CHECK("organizations"."moves" >= 0),
	CONSTRAINT "organizations_moved" CHECK(("organizations"."state" = 'moved') = ("organizations"."moved_to" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_slug_unique` ON `organizations` (`slug`);
--> statement-breakpoint
CREATE INDEX `organizations_by_name` ON `organizations` (`name_key`,`id`);
--> statement-breakpoint
CREATE INDEX `organizations_leaving` ON `organizations` (`state`,`deletes_at_ms`) WHERE "organizations"."state" <> 'active';
--> statement-breakpoint
CREATE TABLE `permission_seeds` (
	`number` integer PRIMARY KEY NOT NULL,
	`applied_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `role_permissions` (
	`organization_id` blob NOT NULL,
	`role_id` blob NOT NULL,
	`permission` text NOT NULL,
	PRIMARY KEY(`organization_id`, `role_id`, `permission`),
	FOREIGN KEY (`organization_id`,`role_id`) REFERENCES `roles`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `roles` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`words` text DEFAULT '' NOT NULL,
	`is_system` integer NOT NULL,
	`is_default` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_name` ON `roles` (`organization_id`,`name_key`);
--> statement-breakpoint
CREATE INDEX `roles_sorted` ON `roles` (`organization_id`,"is_system" desc,`name_key`);
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_default` ON `roles` (`organization_id`) WHERE "roles"."is_default" = 1;
--> statement-breakpoint
CREATE TABLE `users` (
	`id` blob PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`full_name` text NOT NULL,
	`is_super_admin` integer DEFAULT false NOT NULL,
	`is_disabled` integer DEFAULT false NOT NULL,
	`must_change_password` integer DEFAULT false NOT NULL,
	`home_organization_id` blob,
	`totp_sealed` text,
	`totp_pending_sealed` text,
	`totp_last_step` integer,
	`email_notifications` integer DEFAULT true NOT NULL,
	`new_message_alerts` integer DEFAULT true NOT NULL,
	`campaign_updates` integer DEFAULT true NOT NULL,
	`language` text,
	`ui` text DEFAULT '{}' NOT NULL,
	`last_login_at_ms` integer,
	`orphaned_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	FOREIGN KEY (`home_organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);
--> statement-breakpoint
CREATE INDEX `users_cost` ON `users` (substr("password_hash", 16, instr(substr("password_hash", 16), '$') - 1));
--> statement-breakpoint
CREATE INDEX `users_disabled` ON `users` (`id`) WHERE "users"."is_disabled" = 1;
--> statement-breakpoint
CREATE INDEX `users_orphaned` ON `users` (`orphaned_at_ms`) WHERE "users"."orphaned_at_ms" is not null;
--> statement-breakpoint
CREATE TABLE `campaign_counts` (
	`organization_id` blob NOT NULL,
	`campaign_id` blob NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`sending` integer DEFAULT 0 NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`read` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`unknown` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`replied` integer DEFAULT 0 NOT NULL,
	`clicked` integer DEFAULT 0 NOT NULL,
	`opted_out` integer DEFAULT 0 NOT NULL,
	`accepted` integer DEFAULT 0 NOT NULL,
	`spent_micros` integer DEFAULT 0 NOT NULL,
	`actual_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`),
	FOREIGN KEY (`organization_id`,`campaign_id`) REFERENCES `campaigns`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `campaign_errors` (
	`organization_id` blob NOT NULL,
	`campaign_id` blob NOT NULL,
	`code` text NOT NULL,
	`recipients` integer NOT NULL,
	`failed` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`, `code`),
	FOREIGN KEY (`organization_id`,`campaign_id`) REFERENCES `campaigns`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `campaign_recipients` (
	`organization_id` blob NOT NULL,
	`campaign_id` blob NOT NULL,
	`id` blob NOT NULL,
	`contact_id` blob,
	`identity` text NOT NULL,
	`phone_number` text,
	`user_id` text,
	`name` text,
	`words` text DEFAULT '' NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`skip_reason` text,
	`params` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`error` text,
	`error_code` text,
	`sent_at_ms` integer,
	`delivered_at_ms` integer,
	`read_at_ms` integer,
	`failed_at_ms` integer,
	`finished_at_ms` integer,
	`replied_at_ms` integer,
	`clicked_at_ms` integer,
	`opted_out_at_ms` integer,
	`cost_micros` integer,
	`is_cost_actual` integer DEFAULT false NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`, `id`),
	FOREIGN KEY (`organization_id`,`campaign_id`) REFERENCES `campaigns`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "campaign_recipients_skipped" CHECK(("campaign_recipients"."status" = 'skipped') = ("campaign_recipients"."skip_reason" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `campaign_recipients_identity` ON `campaign_recipients` (`organization_id`,`campaign_id`,`identity`);
--> statement-breakpoint
CREATE INDEX `campaign_recipients_status` ON `campaign_recipients` (`organization_id`,`campaign_id`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `campaign_recipients_contact` ON `campaign_recipients` (`organization_id`,`contact_id`,`sent_at_ms`) WHERE "campaign_recipients"."contact_id" is not null;
--> statement-breakpoint
CREATE INDEX `campaign_recipients_replied` ON `campaign_recipients` (`organization_id`,`campaign_id`,`contact_id`) WHERE "campaign_recipients"."replied_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `campaign_recipients_sent` ON `campaign_recipients` (`organization_id`,`campaign_id`,`sent_at_ms`) WHERE "campaign_recipients"."sent_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `campaign_recipients_finished` ON `campaign_recipients` (`organization_id`,`campaign_id`,`finished_at_ms`) WHERE "campaign_recipients"."finished_at_ms" is not null;
--> statement-breakpoint
CREATE INDEX `campaign_recipients_errors` ON `campaign_recipients` (`organization_id`,`campaign_id`,`error_code`,`id`) WHERE "campaign_recipients"."error_code" is not null;
--> statement-breakpoint
CREATE INDEX `campaign_recipients_unpriced` ON `campaign_recipients` (`organization_id`,`campaign_id`) WHERE "campaign_recipients"."is_cost_actual" = 1 and "campaign_recipients"."cost_micros" is null;
--> statement-breakpoint
CREATE TABLE `campaign_sends` (
	`organization_id` blob NOT NULL,
	`campaign_id` blob NOT NULL,
	`recipient_id` blob NOT NULL,
	`attempt` integer NOT NULL,
	`message_id` blob,
	`open_cost_micros` integer,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`, `recipient_id`, `attempt`),
	FOREIGN KEY (`organization_id`,`campaign_id`,`recipient_id`) REFERENCES `campaign_recipients`(`organization_id`,`campaign_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `campaign_sends_message` ON `campaign_sends` (`organization_id`,`message_id`) WHERE "campaign_sends"."message_id" is not null;
--> statement-breakpoint
CREATE TABLE `campaigns` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`account_id` blob NOT NULL,
	`template_id` blob,
	`status` text NOT NULL,
	`pause_reason` text,
	`resumes_at_ms` integer,
	`audience` text NOT NULL,
	`variable_mapping` text DEFAULT '{}' NOT NULL,
	`default_params` text DEFAULT '{}' NOT NULL,
	`header_media_id` blob,
	`scheduled_at_ms` integer,
	`timezone` text NOT NULL,
	`send_window` text,
	`window_ends_at_ms` integer,
	`rate_limit` integer,
	`budget_micros` integer,
	`currency` text,
	`error_threshold` real DEFAULT 0.1 NOT NULL,
	`estimated_micros` integer,
	`is_planned` integer DEFAULT false NOT NULL,
	`errors_since_ms` integer DEFAULT 0 NOT NULL,
	`ignores_errors` integer DEFAULT false NOT NULL,
	`is_quota_notified` integer DEFAULT false NOT NULL,
	`published_at_ms` integer,
	`is_publish_due` integer DEFAULT false NOT NULL,
	`started_at_ms` integer,
	`completed_at_ms` integer,
	`created_by` blob,
	`actor` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`deleted_at_ms` integer,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`header_media_id`) REFERENCES `media`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "campaigns_pause" CHECK(("campaigns"."status" = 'paused') = ("campaigns"."pause_reason" is not null)),
	CONSTRAINT "campaigns_schedule" CHECK("campaigns"."status" <> 'scheduled' or "campaigns"."scheduled_at_ms" is not null),
	CONSTRAINT "campaigns_started" CHECK("campaigns"."status" not in ('sending', 'paused', 'completed') or "campaigns"."started_at_ms" is not null),
	CONSTRAINT "campaigns_budget" CHECK("campaigns"."budget_micros" is null or "campaigns"."currency" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `campaigns_list` ON `campaigns` (`organization_id`,`created_at_ms`,`id`) WHERE "campaigns"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `campaigns_by_start` ON `campaigns` (`organization_id`,`started_at_ms`,`id`) WHERE "campaigns"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `campaigns_by_status` ON `campaigns` (`organization_id`,`status`,`created_at_ms`) WHERE "campaigns"."deleted_at_ms" is null;
--> statement-breakpoint
CREATE INDEX `campaigns_by_account` ON `campaigns` (`organization_id`,`account_id`,`status`);
--> statement-breakpoint
CREATE INDEX `campaigns_by_template` ON `campaigns` (`organization_id`,`template_id`,`status`);
--> statement-breakpoint
CREATE INDEX `campaigns_media` ON `campaigns` (`organization_id`,`header_media_id`) WHERE "campaigns"."header_media_id" is not null;
--> statement-breakpoint
CREATE INDEX `campaigns_under_way` ON `campaigns` (`status`) WHERE "campaigns"."status" in ('scheduled', 'sending', 'paused');
--> statement-breakpoint
CREATE TABLE `portfolio_reach` (
	`organization_id` blob NOT NULL,
	`portfolio` text NOT NULL,
	`contact_id` blob NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `portfolio`, `contact_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `portfolio_reach_recent` ON `portfolio_reach` (`organization_id`,`portfolio`,`at_ms`);
--> statement-breakpoint
CREATE INDEX `portfolio_reach_contact` ON `portfolio_reach` (`organization_id`,`contact_id`);
--> statement-breakpoint
CREATE TABLE `segments` (
	`organization_id` blob NOT NULL,
	`id` blob NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`filter` text NOT NULL,
	`is_shared` integer NOT NULL,
	`created_by` blob NOT NULL,
	`last_count` integer,
	`last_counted_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `segments_name` ON `segments` (`organization_id`,`name_key`,`is_shared`,`created_by`);
--> statement-breakpoint
CREATE INDEX `segments_shared` ON `segments` (`organization_id`,`is_shared`,`name_key`);
--> statement-breakpoint
CREATE VIRTUAL TABLE `ai_search` USING fts5(`scope`, `words`, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='4 6');
--> statement-breakpoint
INSERT INTO `ai_search` (`ai_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
CREATE VIRTUAL TABLE `message_search` USING fts5(`scope`, `words`, content='message_words', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='2 3', detail=none, columnsize=0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `message_search` (`message_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE VIRTUAL TABLE `audit_search` USING fts5(`words`, content='audit_logs', content_rowid='row', tokenize='trigram case_sensitive 1', detail=none);
--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `audit_search` (`audit_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
INSERT INTO `rights_version` (`id`, `version`) VALUES (1, 1);
