CREATE TABLE `inbound_intake` (
	`id` integer PRIMARY KEY NOT NULL,
	`received_at_ms` integer NOT NULL,
	`signed_by` text NOT NULL,
	`trusted` text,
	`body` blob NOT NULL
) STRICT;
