DROP TRIGGER `messages_changed`;--> statement-breakpoint
DROP TRIGGER `messages_quoted_changed`;--> statement-breakpoint
DROP TRIGGER `message_reactions_came`;--> statement-breakpoint
DROP TRIGGER `message_reactions_changed`;--> statement-breakpoint
DROP TRIGGER `message_reactions_went`;--> statement-breakpoint
DROP INDEX `messages_of_contact`;--> statement-breakpoint
CREATE INDEX `messages_of_contact` ON `messages` (`organization_id`,`contact_id`,`timestamp_ms`,`id`);--> statement-breakpoint
ALTER TABLE `messages` DROP COLUMN `revision`;