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
