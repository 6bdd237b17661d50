CREATE TABLE `template_days` (
	`organization_id` text NOT NULL,
	`template_id` text NOT NULL,
	`day` integer NOT NULL,
	`sent` integer NOT NULL,
	`last_sent_at_ms` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `template_id`, `day`),
	FOREIGN KEY (`organization_id`,`template_id`) REFERENCES `templates`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `templates` DROP COLUMN `sample_values`;