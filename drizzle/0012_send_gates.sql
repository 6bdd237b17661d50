DROP INDEX `jobs_available`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `gate_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_available` ON `jobs` (`lane`,`organization_id`,`gate_key`,`id`) WHERE "jobs"."state" = 'available';--> statement-breakpoint
DROP INDEX `messages_unsettled`;--> statement-breakpoint
CREATE INDEX `messages_waiting` ON `messages` (`organization_id`,`created_at_ms`,`id`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
CREATE INDEX `messages_unsettled` ON `messages` (`organization_id`,`account_id`,`stage`,`created_at_ms`) WHERE "messages"."stage" in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous');--> statement-breakpoint
CREATE INDEX `inbound_events_parked` ON `inbound_events` (`received_at_ms`) WHERE instr("inbound_events"."outcomes", '"parked"') > 0;