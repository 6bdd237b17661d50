DROP INDEX `inbound_bodies_digest`;--> statement-breakpoint
ALTER TABLE `inbound_bodies` ADD `part` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `inbound_bodies_part` ON `inbound_bodies` (`digest`,`signed_by`,`part`);--> statement-breakpoint
CREATE INDEX `message_reactions_contact` ON `message_reactions` (`organization_id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `message_revisions_contact` ON `message_revisions` (`organization_id`,`contact_id`);