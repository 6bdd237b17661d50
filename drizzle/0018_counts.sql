CREATE TABLE `contact_counts` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`contacts` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `conversation_counts` (
	`organization_id` text NOT NULL,
	`account_id` text NOT NULL,
	`assigned_to` text NOT NULL,
	`state` text NOT NULL,
	`conversations` integer NOT NULL,
	`unread` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `account_id`, `assigned_to`, `state`),
	FOREIGN KEY (`organization_id`,`account_id`) REFERENCES `accounts`(`organization_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TRIGGER `conversation_counts_added` AFTER INSERT ON `conversations` BEGIN
	INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
		SELECT new.`organization_id`, new.`account_id`, coalesce(new.`assigned_to`, ''), new.`state`, 1, (new.`unread_count` > 0) WHERE EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = new.`organization_id` AND `id` = new.`contact_id` AND `deleted_at_ms` IS NULL)
		ON CONFLICT DO UPDATE SET `conversations` = `conversations` + excluded.`conversations`, `unread` = `unread` + excluded.`unread`;
END;--> statement-breakpoint
CREATE TRIGGER `conversation_counts_removed` AFTER DELETE ON `conversations` BEGIN
	INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
		SELECT old.`organization_id`, old.`account_id`, coalesce(old.`assigned_to`, ''), old.`state`, -1, -(old.`unread_count` > 0) WHERE EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = old.`organization_id` AND `id` = old.`contact_id` AND `deleted_at_ms` IS NULL)
		ON CONFLICT DO UPDATE SET `conversations` = `conversations` + excluded.`conversations`, `unread` = `unread` + excluded.`unread`;
END;--> statement-breakpoint
CREATE TRIGGER `conversation_counts_changed` AFTER UPDATE OF `contact_id`, `account_id`, `assigned_to`, `state`, `unread_count` ON `conversations`
	WHEN old.`contact_id` <> new.`contact_id` OR old.`account_id` <> new.`account_id` OR old.`assigned_to` IS NOT new.`assigned_to` OR old.`state` <> new.`state` OR (old.`unread_count` > 0) <> (new.`unread_count` > 0) BEGIN
	INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
		SELECT old.`organization_id`, old.`account_id`, coalesce(old.`assigned_to`, ''), old.`state`, -1, -(old.`unread_count` > 0) WHERE EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = old.`organization_id` AND `id` = old.`contact_id` AND `deleted_at_ms` IS NULL)
		ON CONFLICT DO UPDATE SET `conversations` = `conversations` + excluded.`conversations`, `unread` = `unread` + excluded.`unread`;
	INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
		SELECT new.`organization_id`, new.`account_id`, coalesce(new.`assigned_to`, ''), new.`state`, 1, (new.`unread_count` > 0) WHERE EXISTS (SELECT 1 FROM `contacts` WHERE `organization_id` = new.`organization_id` AND `id` = new.`contact_id` AND `deleted_at_ms` IS NULL)
		ON CONFLICT DO UPDATE SET `conversations` = `conversations` + excluded.`conversations`, `unread` = `unread` + excluded.`unread`;
END;--> statement-breakpoint
CREATE TRIGGER `conversation_counts_contact` AFTER UPDATE OF `deleted_at_ms` ON `contacts` WHEN (old.`deleted_at_ms` IS NULL) <> (new.`deleted_at_ms` IS NULL) BEGIN
	INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
		SELECT `organization_id`, `account_id`, coalesce(`assigned_to`, ''), `state`, CASE WHEN new.`deleted_at_ms` IS NULL THEN 1 ELSE -1 END, CASE WHEN `unread_count` = 0 THEN 0 WHEN new.`deleted_at_ms` IS NULL THEN 1 ELSE -1 END
		FROM `conversations` WHERE `organization_id` = new.`organization_id` AND `contact_id` = new.`id`
		ON CONFLICT DO UPDATE SET `conversations` = `conversations` + excluded.`conversations`, `unread` = `unread` + excluded.`unread`;
	INSERT INTO `contact_counts` (`organization_id`, `contacts`) VALUES (new.`organization_id`, CASE WHEN new.`deleted_at_ms` IS NULL THEN 1 ELSE -1 END)
		ON CONFLICT DO UPDATE SET `contacts` = `contacts` + excluded.`contacts`;
END;--> statement-breakpoint
CREATE TRIGGER `contact_counts_added` AFTER INSERT ON `contacts` WHEN new.`deleted_at_ms` IS NULL BEGIN
	INSERT INTO `contact_counts` (`organization_id`, `contacts`) VALUES (new.`organization_id`, 1) ON CONFLICT DO UPDATE SET `contacts` = `contacts` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `contact_counts_removed` AFTER DELETE ON `contacts` WHEN old.`deleted_at_ms` IS NULL BEGIN
	UPDATE `contact_counts` SET `contacts` = `contacts` - 1 WHERE `organization_id` = old.`organization_id`;
END;--> statement-breakpoint
INSERT INTO `contact_counts` (`organization_id`, `contacts`) SELECT `organization_id`, count(*) FROM `contacts` WHERE `deleted_at_ms` IS NULL GROUP BY 1;--> statement-breakpoint
INSERT INTO `conversation_counts` (`organization_id`, `account_id`, `assigned_to`, `state`, `conversations`, `unread`)
	SELECT `conversations`.`organization_id`, `conversations`.`account_id`, coalesce(`conversations`.`assigned_to`, ''), `state`, count(*), sum(`conversations`.`unread_count` > 0) FROM `conversations`
	JOIN `contacts` ON `contacts`.`organization_id` = `conversations`.`organization_id` AND `contacts`.`id` = `conversations`.`contact_id` AND `deleted_at_ms` IS NULL GROUP BY 1, 2, 3, 4;
