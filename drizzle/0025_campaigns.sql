CREATE TABLE `campaign_counts` (
	`organization_id` text NOT NULL,
	`campaign_id` text NOT NULL,
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
	`spent_micros` integer DEFAULT 0 NOT NULL,
	`actual_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`),
	FOREIGN KEY (`organization_id`,`campaign_id`) REFERENCES `campaigns`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `campaign_recipients` (
	`organization_id` text NOT NULL,
	`campaign_id` text NOT NULL,
	`id` text NOT NULL,
	`contact_id` text,
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
CREATE UNIQUE INDEX `campaign_recipients_identity` ON `campaign_recipients` (`organization_id`,`campaign_id`,`identity`);--> statement-breakpoint
CREATE INDEX `campaign_recipients_status` ON `campaign_recipients` (`organization_id`,`campaign_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `campaign_recipients_contact` ON `campaign_recipients` (`organization_id`,`contact_id`,`sent_at_ms`) WHERE "campaign_recipients"."contact_id" is not null;--> statement-breakpoint
CREATE INDEX `campaign_recipients_sent` ON `campaign_recipients` (`organization_id`,`campaign_id`,`sent_at_ms`) WHERE "campaign_recipients"."sent_at_ms" is not null;--> statement-breakpoint
CREATE INDEX `campaign_recipients_finished` ON `campaign_recipients` (`organization_id`,`campaign_id`,`finished_at_ms`) WHERE "campaign_recipients"."finished_at_ms" is not null;--> statement-breakpoint
CREATE INDEX `campaign_recipients_errors` ON `campaign_recipients` (`organization_id`,`campaign_id`,`error_code`,`id`) WHERE "campaign_recipients"."error_code" is not null;--> statement-breakpoint
CREATE TABLE `campaign_sends` (
	`organization_id` text NOT NULL,
	`campaign_id` text NOT NULL,
	`recipient_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`message_id` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `campaign_id`, `recipient_id`, `attempt`),
	FOREIGN KEY (`organization_id`,`campaign_id`,`recipient_id`) REFERENCES `campaign_recipients`(`organization_id`,`campaign_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`message_id`) REFERENCES `messages`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `campaign_sends_message` ON `campaign_sends` (`organization_id`,`message_id`) WHERE "campaign_sends"."message_id" is not null;--> statement-breakpoint
CREATE TABLE `campaigns` (
	`organization_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`account_id` text NOT NULL,
	`template_id` text NOT NULL,
	`status` text NOT NULL,
	`pause_reason` text,
	`resumes_at_ms` integer,
	`audience` text NOT NULL,
	`variable_mapping` text DEFAULT '{}' NOT NULL,
	`default_params` text DEFAULT '{}' NOT NULL,
	`header_media_id` text,
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
	`is_quota_told` integer DEFAULT false NOT NULL,
	`announced_at_ms` integer,
	`is_announce_due` integer DEFAULT false NOT NULL,
	`started_at_ms` integer,
	`completed_at_ms` integer,
	`created_by` text,
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
CREATE INDEX `campaigns_list` ON `campaigns` (`organization_id`,`created_at_ms`,`id`) WHERE "campaigns"."deleted_at_ms" is null;--> statement-breakpoint
CREATE INDEX `campaigns_by_status` ON `campaigns` (`organization_id`,`status`,`created_at_ms`) WHERE "campaigns"."deleted_at_ms" is null;--> statement-breakpoint
CREATE INDEX `campaigns_by_account` ON `campaigns` (`organization_id`,`account_id`,`status`);--> statement-breakpoint
CREATE INDEX `campaigns_by_template` ON `campaigns` (`organization_id`,`template_id`,`status`);--> statement-breakpoint
CREATE INDEX `campaigns_media` ON `campaigns` (`organization_id`,`header_media_id`) WHERE "campaigns"."header_media_id" is not null;--> statement-breakpoint
CREATE INDEX `campaigns_under_way` ON `campaigns` (`status`) WHERE "campaigns"."status" in ('scheduled', 'sending', 'paused');--> statement-breakpoint
CREATE TABLE `portfolio_reach` (
	`organization_id` text NOT NULL,
	`portfolio` text NOT NULL,
	`contact_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `portfolio`, `contact_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `portfolio_reach_recent` ON `portfolio_reach` (`organization_id`,`portfolio`,`at_ms`);--> statement-breakpoint
CREATE INDEX `portfolio_reach_contact` ON `portfolio_reach` (`organization_id`,`contact_id`);--> statement-breakpoint
CREATE TRIGGER `campaign_counts_added` AFTER INSERT ON `campaign_recipients` BEGIN
	UPDATE `campaign_counts` SET
		`pending` = `pending` + (new.`status` = 'pending'), `sending` = `sending` + (new.`status` = 'sending'), `sent` = `sent` + (new.`status` = 'sent'),
		`delivered` = `delivered` + (new.`status` = 'delivered'), `read` = `read` + (new.`status` = 'read'), `failed` = `failed` + (new.`status` = 'failed'),
		`unknown` = `unknown` + (new.`status` = 'unknown'), `skipped` = `skipped` + (new.`status` = 'skipped'), `cancelled` = `cancelled` + (new.`status` = 'cancelled')
		WHERE `organization_id` = new.`organization_id` AND `campaign_id` = new.`campaign_id`;
END;--> statement-breakpoint
CREATE TRIGGER `campaign_counts_removed` AFTER DELETE ON `campaign_recipients` BEGIN
	UPDATE `campaign_counts` SET
		`pending` = `pending` - (old.`status` = 'pending'), `sending` = `sending` - (old.`status` = 'sending'), `sent` = `sent` - (old.`status` = 'sent'),
		`delivered` = `delivered` - (old.`status` = 'delivered'), `read` = `read` - (old.`status` = 'read'), `failed` = `failed` - (old.`status` = 'failed'),
		`unknown` = `unknown` - (old.`status` = 'unknown'), `skipped` = `skipped` - (old.`status` = 'skipped'), `cancelled` = `cancelled` - (old.`status` = 'cancelled'),
		`replied` = `replied` - (old.`replied_at_ms` IS NOT NULL), `clicked` = `clicked` - (old.`clicked_at_ms` IS NOT NULL),
		`spent_micros` = `spent_micros` - CASE WHEN old.`status` IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(old.`cost_micros`, 0) ELSE 0 END,
		`actual_micros` = `actual_micros` - CASE WHEN old.`is_cost_actual` = 1 THEN coalesce(old.`cost_micros`, 0) ELSE 0 END
		WHERE `organization_id` = old.`organization_id` AND `campaign_id` = old.`campaign_id`;
END;--> statement-breakpoint
CREATE TRIGGER `campaign_counts_changed` AFTER UPDATE OF `status`, `replied_at_ms`, `clicked_at_ms`, `cost_micros`, `is_cost_actual` ON `campaign_recipients`
	WHEN old.`status` <> new.`status` OR (old.`replied_at_ms` IS NULL) <> (new.`replied_at_ms` IS NULL) OR (old.`clicked_at_ms` IS NULL) <> (new.`clicked_at_ms` IS NULL)
		OR old.`cost_micros` IS NOT new.`cost_micros` OR old.`is_cost_actual` <> new.`is_cost_actual` BEGIN
	UPDATE `campaign_counts` SET
		`pending` = `pending` + (new.`status` = 'pending') - (old.`status` = 'pending'), `sending` = `sending` + (new.`status` = 'sending') - (old.`status` = 'sending'),
		`sent` = `sent` + (new.`status` = 'sent') - (old.`status` = 'sent'), `delivered` = `delivered` + (new.`status` = 'delivered') - (old.`status` = 'delivered'),
		`read` = `read` + (new.`status` = 'read') - (old.`status` = 'read'), `failed` = `failed` + (new.`status` = 'failed') - (old.`status` = 'failed'),
		`unknown` = `unknown` + (new.`status` = 'unknown') - (old.`status` = 'unknown'), `skipped` = `skipped` + (new.`status` = 'skipped') - (old.`status` = 'skipped'),
		`cancelled` = `cancelled` + (new.`status` = 'cancelled') - (old.`status` = 'cancelled'),
		`replied` = `replied` + (new.`replied_at_ms` IS NOT NULL) - (old.`replied_at_ms` IS NOT NULL),
		`clicked` = `clicked` + (new.`clicked_at_ms` IS NOT NULL) - (old.`clicked_at_ms` IS NOT NULL),
		`spent_micros` = `spent_micros` + CASE WHEN new.`status` IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(new.`cost_micros`, 0) ELSE 0 END
			- CASE WHEN old.`status` IN ('sending', 'sent', 'delivered', 'read', 'unknown') THEN coalesce(old.`cost_micros`, 0) ELSE 0 END,
		`actual_micros` = `actual_micros` + CASE WHEN new.`is_cost_actual` = 1 THEN coalesce(new.`cost_micros`, 0) ELSE 0 END
			- CASE WHEN old.`is_cost_actual` = 1 THEN coalesce(old.`cost_micros`, 0) ELSE 0 END
		WHERE `organization_id` = new.`organization_id` AND `campaign_id` = new.`campaign_id`;
END;--> statement-breakpoint
CREATE TRIGGER `campaign_sends_forget` BEFORE DELETE ON `messages` WHEN old.`source` = 'campaign' BEGIN
	UPDATE `campaign_sends` SET `message_id` = NULL WHERE `organization_id` = old.`organization_id` AND `message_id` = old.`id`;
END;
