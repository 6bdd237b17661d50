-- A ticket lives for thirty seconds: those of before are not carried over.
DROP TABLE `socket_tickets`;--> statement-breakpoint
CREATE TABLE `socket_tickets` (
	`id` text PRIMARY KEY NOT NULL,
	`ticket_hash` text NOT NULL,
	`session_id` text,
	`organization_id` text NOT NULL,
	`api_key_id` text,
	`access_expires_at_ms` integer,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`organization_id`,`api_key_id`) REFERENCES `api_keys`(`organization_id`,`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "socket_ticket_of_one" CHECK(("socket_tickets"."session_id" is null) <> ("socket_tickets"."api_key_id" is null)),
	CONSTRAINT "socket_ticket_of_session" CHECK(("socket_tickets"."session_id" is null) = ("socket_tickets"."access_expires_at_ms" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `socket_tickets_hash` ON `socket_tickets` (`ticket_hash`);--> statement-breakpoint
CREATE INDEX `socket_tickets_age` ON `socket_tickets` (`expires_at_ms`);
