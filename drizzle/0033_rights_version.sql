CREATE TABLE `rights_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `rights_version` (`id`, `version`) VALUES (1, 1);
--> statement-breakpoint
CREATE TRIGGER `users_rights` AFTER UPDATE OF `is_super_admin`, `is_disabled`, `full_name` ON `users` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `users_gone` AFTER DELETE ON `users` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `sessions_rights` AFTER UPDATE OF `user_id`, `expires_at_ms`, `ended_at_ms` ON `sessions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `sessions_gone` AFTER DELETE ON `sessions` WHEN old.`ended_at_ms` IS NULL BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `memberships_made` AFTER INSERT ON `memberships` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `memberships_rights` AFTER UPDATE OF `organization_id`, `id`, `user_id`, `role_id`, `is_active` ON `memberships` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `memberships_gone` AFTER DELETE ON `memberships` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `roles_rights` AFTER UPDATE OF `name_key`, `is_system` ON `roles` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `roles_gone` AFTER DELETE ON `roles` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `role_permissions_made` AFTER INSERT ON `role_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `role_permissions_rights` AFTER UPDATE ON `role_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `role_permissions_gone` AFTER DELETE ON `role_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_rights` AFTER UPDATE OF `key_hash`, `owner_user_id`, `owner_membership_id`, `is_active`, `expires_at_ms` ON `api_keys` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_gone` AFTER DELETE ON `api_keys` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_key_permissions_made` AFTER INSERT ON `api_key_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_key_permissions_rights` AFTER UPDATE ON `api_key_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_key_permissions_gone` AFTER DELETE ON `api_key_permissions` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `token_cutoffs_made` AFTER INSERT ON `token_cutoffs` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `token_cutoffs_rights` AFTER UPDATE ON `token_cutoffs` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `token_cutoffs_gone` AFTER DELETE ON `token_cutoffs` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `organizations_rights` AFTER UPDATE OF `mask_phone_numbers` ON `organizations` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `organizations_gone` AFTER DELETE ON `organizations` BEGIN
	UPDATE `rights_version` SET `version` = `version` + 1;
END;
