DROP TABLE `contact_search`;--> statement-breakpoint
DROP TRIGGER `contact_words_deleted_contact`;--> statement-breakpoint
DROP TABLE `contact_words`;--> statement-breakpoint
CREATE TABLE `contact_words` (
	`organization_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`words` text NOT NULL,
	`digits` text NOT NULL,
	PRIMARY KEY(`organization_id`, `contact_id`),
	FOREIGN KEY (`organization_id`,`contact_id`) REFERENCES `contacts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_terms` (
	`organization_id` text NOT NULL,
	`term` text NOT NULL,
	`contact_id` text NOT NULL,
	PRIMARY KEY(`organization_id`, `term`, `contact_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `contact_words_added` AFTER INSERT ON `contact_words` WHEN new.`words` <> '' BEGIN
	INSERT INTO `contact_terms` (`organization_id`, `term`, `contact_id`)
		SELECT new.`organization_id`, value, new.`contact_id` FROM json_each('["' || replace(substr(new.`words`, 2), ' ', '","') || '"]');
END;
--> statement-breakpoint
CREATE TRIGGER `contact_words_removed` AFTER DELETE ON `contact_words` WHEN old.`words` <> '' BEGIN
	DELETE FROM `contact_terms` WHERE `organization_id` = old.`organization_id` AND `contact_id` = old.`contact_id`
		AND `term` IN (SELECT value FROM json_each('["' || replace(substr(old.`words`, 2), ' ', '","') || '"]'));
END;
--> statement-breakpoint
CREATE TRIGGER `contact_words_changed` AFTER UPDATE OF `words` ON `contact_words` WHEN old.`words` <> new.`words` BEGIN
	DELETE FROM `contact_terms` WHERE old.`words` <> '' AND `organization_id` = old.`organization_id` AND `contact_id` = old.`contact_id`
		AND `term` IN (SELECT value FROM json_each('["' || replace(substr(old.`words`, 2), ' ', '","') || '"]'));
	INSERT INTO `contact_terms` (`organization_id`, `term`, `contact_id`)
		SELECT new.`organization_id`, value, new.`contact_id` FROM json_each('["' || replace(substr(new.`words`, 2), ' ', '","') || '"]') WHERE new.`words` <> '';
END;
--> statement-breakpoint
CREATE TRIGGER `contact_words_deleted_contact` AFTER UPDATE OF `deleted_at_ms` ON `contacts` WHEN old.`deleted_at_ms` IS NULL AND new.`deleted_at_ms` IS NOT NULL BEGIN
	DELETE FROM `contact_words` WHERE `organization_id` = new.`organization_id` AND `contact_id` = new.`id`;
END;
