ALTER TABLE `audit_texts` ADD `rev` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_texts_rev` ON `audit_texts` (`organization_id`,`rev`);--> statement-breakpoint
ALTER TABLE `membership_texts` ADD `rev` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `membership_texts_rev` ON `membership_texts` (`organization_id`,`rev`);--> statement-breakpoint
ALTER TABLE `invitation_texts` ADD `rev` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `invitation_texts_rev` ON `invitation_texts` (`organization_id`,`rev`);
--> statement-breakpoint
CREATE TRIGGER `audit_texts_block_came` AFTER INSERT ON `audit_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `audit_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `audit_texts` SET `rev` = (SELECT `rev` FROM `audit_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_texts_block_rewritten` AFTER UPDATE OF `lines` ON `audit_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `audit_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `audit_texts` SET `rev` = (SELECT `rev` FROM `audit_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `audit_texts_block_went` AFTER DELETE ON `audit_texts` WHEN old.`block` <> '' BEGIN
	UPDATE `audit_texts` SET `rev` = `rev` + 1 WHERE `organization_id` = old.`organization_id` AND `block` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_block_came` AFTER INSERT ON `membership_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `membership_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `membership_texts` SET `rev` = (SELECT `rev` FROM `membership_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_block_rewritten` AFTER UPDATE OF `lines` ON `membership_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `membership_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `membership_texts` SET `rev` = (SELECT `rev` FROM `membership_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `membership_texts_block_went` AFTER DELETE ON `membership_texts` WHEN old.`block` <> '' BEGIN
	UPDATE `membership_texts` SET `rev` = `rev` + 1 WHERE `organization_id` = old.`organization_id` AND `block` = '';
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_block_came` AFTER INSERT ON `invitation_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `invitation_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `invitation_texts` SET `rev` = (SELECT `rev` FROM `invitation_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_block_rewritten` AFTER UPDATE OF `lines` ON `invitation_texts` WHEN new.`block` <> '' BEGIN
	INSERT INTO `invitation_texts` (`organization_id`, `block`, `lines`, `rev`) VALUES (new.`organization_id`, '', '', 1)
		ON CONFLICT DO UPDATE SET `rev` = `rev` + 1;
	UPDATE `invitation_texts` SET `rev` = (SELECT `rev` FROM `invitation_texts` WHERE `organization_id` = new.`organization_id` AND `block` = '')
		WHERE `organization_id` = new.`organization_id` AND `block` = new.`block`;
END;
--> statement-breakpoint
CREATE TRIGGER `invitation_texts_block_went` AFTER DELETE ON `invitation_texts` WHEN old.`block` <> '' BEGIN
	UPDATE `invitation_texts` SET `rev` = `rev` + 1 WHERE `organization_id` = old.`organization_id` AND `block` = '';
END;
