ALTER TABLE `messages` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `messages_changed` AFTER UPDATE ON `messages` WHEN new.`revision` = old.`revision` BEGIN
	UPDATE `messages` SET `revision` = `revision` + 1 WHERE rowid = new.rowid;
END;
--> statement-breakpoint
CREATE TRIGGER `messages_quoted_changed` AFTER UPDATE OF `type`, `preview` ON `messages` WHEN new.`type` <> old.`type` OR new.`preview` <> old.`preview` BEGIN
	UPDATE `messages` SET `revision` = `revision` + 1 WHERE `organization_id` = new.`organization_id` AND `reply_to_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `message_reactions_came` AFTER INSERT ON `message_reactions` WHEN new.`message_id` IS NOT NULL BEGIN
	UPDATE `messages` SET `revision` = `revision` + 1 WHERE `organization_id` = new.`organization_id` AND `id` = new.`message_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `message_reactions_changed` AFTER UPDATE ON `message_reactions` BEGIN
	UPDATE `messages` SET `revision` = `revision` + 1 WHERE `organization_id` = new.`organization_id` AND `id` IN (old.`message_id`, new.`message_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `message_reactions_went` AFTER DELETE ON `message_reactions` WHEN old.`message_id` IS NOT NULL BEGIN
	UPDATE `messages` SET `revision` = `revision` + 1 WHERE `organization_id` = old.`organization_id` AND `id` = old.`message_id`;
END;
