CREATE TRIGGER `contact_words_deleted_contact` AFTER UPDATE OF `deleted_at_ms` ON `contacts` WHEN old.`deleted_at_ms` IS NULL AND new.`deleted_at_ms` IS NOT NULL BEGIN
	DELETE FROM `contact_words` WHERE `organization_id` = new.`organization_id` AND `contact_id` = new.`id`;
END;
--> statement-breakpoint
DELETE FROM `contact_words` WHERE EXISTS (SELECT 1 FROM `contacts` WHERE `contacts`.`organization_id` = `contact_words`.`organization_id` AND `contacts`.`id` = `contact_words`.`contact_id` AND `deleted_at_ms` IS NOT NULL);
