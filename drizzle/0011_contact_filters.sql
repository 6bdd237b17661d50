ALTER TABLE `contacts` ADD `platform_blocked_at_ms` integer;--> statement-breakpoint
CREATE INDEX `contacts_recent_on` ON `contacts` (`organization_id`,`account_id`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_recent_consent` ON `contacts` (`organization_id`,`marketing_consent`,`last_message_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_blocked` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`) WHERE "contacts"."blocked_at_ms" is not null;--> statement-breakpoint
CREATE INDEX `contacts_without_number` ON `contacts` (`organization_id`,`last_message_at_ms`,`id`) WHERE "contacts"."phone_number" is null;--> statement-breakpoint
INSERT INTO `contact_words` (`organization_id`, `contact_id`, `scope`, `words`, `digits`)
	SELECT c.`organization_id`, c.`id`, 'o' || replace(c.`organization_id`, '-', ''),
		trim(CASE WHEN c.`name` GLOB '*[^0-9 ().+-]*' THEN c.`name` ELSE '' END || char(10) ||
			CASE WHEN c.`profile_name` GLOB '*[^0-9 ().+-]*' THEN c.`profile_name` ELSE '' END || char(10) || coalesce(c.`username`, ''), char(10)),
		coalesce((SELECT group_concat(i.`value` || ' r' || (
			WITH RECURSIVE back(n, text) AS (SELECT length(i.`value`), '' UNION ALL SELECT n - 1, text || substr(i.`value`, n, 1) FROM back WHERE n > 0)
			SELECT text FROM back WHERE n = 0), ' ')
			FROM `contact_identities` i WHERE i.`organization_id` = c.`organization_id` AND i.`contact_id` = c.`id` AND i.`kind` = 'phone'), '')
	FROM `contacts` c;
