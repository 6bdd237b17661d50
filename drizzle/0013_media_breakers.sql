CREATE TABLE `media_breakers` (
	`organization_id` text NOT NULL,
	`account_id` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until_ms` integer,
	PRIMARY KEY(`organization_id`, `account_id`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `media` ADD `channels` integer;--> statement-breakpoint
ALTER TABLE `media` ADD `is_animated` integer DEFAULT false NOT NULL;