DROP INDEX `media_age`;--> statement-breakpoint
CREATE INDEX `media_waiting` ON `media` (`created_at_ms`) WHERE "media"."state" = 'pending';--> statement-breakpoint
CREATE INDEX `media_age` ON `media` (`organization_id`,`created_at_ms`,`id`) WHERE "media"."state" = 'ready';