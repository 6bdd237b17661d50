DROP INDEX `messages_of_contact`;--> statement-breakpoint
CREATE INDEX `messages_of_contact` ON `messages` (`organization_id`,`contact_id`,`timestamp_ms`,`id`,`revision`);