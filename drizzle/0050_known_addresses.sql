CREATE TABLE `throttle_known_addresses` (
	`mark` text PRIMARY KEY NOT NULL,
	`at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `throttle_known_addresses_age` ON `throttle_known_addresses` (`at_ms`);--> statement-breakpoint
ALTER TABLE `memberships` ADD `accepted_from_ms` integer;--> statement-breakpoint
-- Those who founded the organization: as if they did it today, thirty days after that.
UPDATE `memberships` SET `accepted_from_ms` = `created_at_ms` + 2592000000
WHERE EXISTS (
	SELECT 1 FROM `audit_logs` `a`
	WHERE `a`.`organization_id` = `memberships`.`organization_id` AND `a`.`user_id` = `memberships`.`user_id`
		AND `a`.`resource_id` = `memberships`.`organization_id` AND `a`.`action` = 'created' AND `a`.`resource_type` = 'organization'
);--> statement-breakpoint
-- Of the others those who joined, switched there or signed in there by themselves, as the audit log knows.
UPDATE `memberships` SET `accepted_from_ms` = `created_at_ms`
WHERE `accepted_from_ms` IS NULL AND EXISTS (
	SELECT 1 FROM `audit_logs` `a`
	WHERE `a`.`organization_id` = `memberships`.`organization_id` AND `a`.`user_id` = `memberships`.`user_id`
		AND `a`.`created_at_ms` >= `memberships`.`created_at_ms`
		AND (`a`.`action` IN ('switched_organization', 'invitation_accepted', 'signed_in')
			OR (`a`.`action` = 'member_added' AND `a`.`resource_id` = `memberships`.`user_id`))
);
